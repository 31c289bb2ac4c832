import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFaker } from '../../src/mock/random.ts'
import { FAKER_METHODS } from '../../src/model/definition.ts'

/** Methods that are deprecated or are helpers for other methods. */
const LEFT_OUT = /^(image\.urlLoremFlickr|helpers\.|fakerCore\.)/

test('hints may name exactly the methods of Faker that return one value', async () => {
  const { faker } = await loadFaker()
  const groups = faker as unknown as Record<string, Record<string, () => unknown>>
  const isMaker = (group: string, name: string): boolean => {
    try {
      const made = groups[group]?.[name]?.()
      return made instanceof Date || ['string', 'number', 'boolean'].includes(typeof made)
    } catch {
      return false
    }
  }
  const makers = Object.keys(groups).flatMap((group) =>
    methodsOf(groups[group] ?? {})
      .map((name) => `${group}.${name}`)
      .filter((name) => !LEFT_OUT.test(name) && isMaker(group, name.slice(group.length + 1))),
  )
  assert.deepEqual([...FAKER_METHODS].sort(), makers.sort())
})

function methodsOf(group: object): string[] {
  const names = new Set<string>()
  for (let at = group; at !== Object.prototype && at !== null; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name !== 'constructor' && typeof Reflect.get(group, name) === 'function') names.add(name)
    }
  }
  return [...names]
}
