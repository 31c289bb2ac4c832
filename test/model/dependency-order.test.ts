import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FieldDefinition, ModelDefinition } from '../../src/model/definition.ts'
import { dependencyOrder } from '../../src/model/registry.ts'
import { valuesOf } from '../helpers/values-of.ts'
import { registryOf } from './models.ts'

/** `Post: user tag` is a model with foreign keys to two others; `tags*` is a many-to-many. */
function modelOf(text: string): ModelDefinition {
  const [name = '', targets = ''] = text.split(':')
  const fields = targets.split(' ').filter((target) => target !== '')
  return {
    name,
    fields: fields.map((target, index): FieldDefinition => {
      if (target.endsWith('*')) return { name: `many${index}`, type: 'many_to_many', model: target.slice(0, -1) }
      return { name: `one${index}_id`, type: 'foreignkey', model: target }
    }),
  }
}

describe('the order of models', () => {
  const built = ['permission', 'group', 'user']
  const rows: readonly { name: string; models: readonly string[]; order: readonly string[] }[] = [
    { name: 'without own models', models: [], order: built },
    { name: 'independent models keep their order', models: ['B:', 'A:'], order: [...built, 'b', 'a'] },
    { name: 'after the models they refer to', models: ['A:b', 'B:c', 'C:'], order: [...built, 'c', 'b', 'a'] },
    { name: 'after the models they link to', models: ['A:b*', 'B:'], order: [...built, 'b', 'a'] },
    { name: 'after both', models: ['A:c b', 'B:c', 'C:user'], order: [...built, 'c', 'b', 'a'] },
    { name: 'a self reference', models: ['A:a', 'B:b* a'], order: [...built, 'a', 'b'] },
    { name: 'a circle of two', models: ['A:b', 'B:a'], order: [...built, 'b', 'a'] },
    { name: 'a circle of three, and one beyond', models: ['A:b', 'B:c', 'C:a d', 'D:'], order: [...built, 'd', 'c', 'b', 'a'] },
  ]
  for (const { name, models, order } of rows) {
    test(name, () => {
      const sorted = dependencyOrder(registryOf(...models.map(modelOf)))
      assert.deepEqual(valuesOf(sorted, 'key'), order)
    })
  }

  test('contains every model once', () => {
    const registry = registryOf(...['A:b a*', 'B:c a', 'C:a b c', 'D:a b c user'].map(modelOf))
    const keys = dependencyOrder(registry).map((model) => model.key)
    assert.deepEqual([...keys].sort(), registry.public.map((model) => model.key).sort())
  })
})
