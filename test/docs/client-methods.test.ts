import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { ModelClient } from '../../src/client/model-client.ts'
import { readDocument } from './document.ts'
import { rowsOf } from './markdown.ts'

test('docs/client.md lists every method of the client and of a model', () => {
  const documented = rowsOf(readDocument('client.md')).flatMap(([cell = '']) =>
    [...cell.matchAll(/`(\w+)\(/g)].map(([, name]) => name),
  )
  const methods = [Client, ModelClient].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
  assert.deepEqual(documented.sort(), methods.filter((name) => name !== 'constructor').sort())
})
