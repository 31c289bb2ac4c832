import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providersSchema } from '../../src/config/provider-settings.ts'
import { readDocument, runDocument } from './document.ts'
import { codesIn, rowsOf } from './markdown.ts'

runDocument('accounts.md')

test('the table lists every key of a provider', () => {
  const { items: [provider] = [] } = providersSchema.describe() as { items?: readonly { readonly keys: object }[] }
  const documented = rowsOf(readDocument('accounts.md')).flatMap(([cell = '']) => codesIn(cell))
  for (const key of Object.keys(provider?.keys ?? {})) assert.ok(documented.includes(key), key)
})
