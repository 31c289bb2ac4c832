import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Features } from '../../src/app/features.ts'
import { silentLog } from '../../src/log/log.ts'
import { Hooks } from '../../src/records/hooks.ts'

test('a feature begins while an earlier one is still beginning', async () => {
  const features = new Features(new Hooks(silentLog))
  let finish = () => {}
  const slow = new Promise<void>((resolve) => {
    finish = resolve
  })
  features.use({ begin: () => slow })
  let hasBegun = false
  features.use({
    begin: () => {
      hasBegun = true
    },
  })
  const beginning = features.begin()
  assert.ok(hasBegun)
  finish()
  await beginning
})

test('a feature begins although earlier ones fail, and the first error is thrown', async () => {
  const features = new Features(new Hooks(silentLog))
  const begun: string[] = []
  features.use({
    begin: () => {
      throw new Error('the first')
    },
  })
  features.use({ begin: () => Promise.reject(new Error('the second')) })
  features.use({ begin: () => void begun.push('last') })
  await assert.rejects(features.begin(), { message: 'the first' })
  assert.deepEqual(begun, ['last'])
})

test('features stop in reverse order', async () => {
  const features = new Features(new Hooks(silentLog))
  const stopped: string[] = []
  for (const name of ['a', 'b']) features.use({ stop: () => void stopped.push(name) })
  await features.stop()
  assert.deepEqual(stopped, ['b', 'a'])
})
