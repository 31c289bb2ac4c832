import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AUTH_MODELS } from '../../src/auth/account-models.ts'
import { flatSource } from '../../src/config/source.ts'
import { parseText } from '../../src/config/text-source.ts'
import { buildRegistry } from '../../src/model/build.ts'
import type { FieldDefinition, ModelDefinition } from '../../src/model/definition.ts'
import type { Model } from '../../src/model/model.ts'
import type { Registry } from '../../src/model/registry.ts'
import { VIEW_MODELS } from '../../src/views/saved-view-model.ts'
import { assertLines, linesOf, unmark } from '../config/marks.ts'

/** A registry of these models and the built-in ones. */
export function registryOf(...models: readonly ModelDefinition[]): Registry {
  const definitions = models.map((value) => ({ value, source: flatSource(`models/${value.name}`) }))
  const { registry, faults } = buildRegistry(definitions, AUTH_MODELS)
  assert.deepEqual(linesOf(faults.list), [])
  return registry
}

/** A model with these fields. */
export function modelOf(...fields: readonly FieldDefinition[]): Model {
  return registryOf({ name: 'Thing', fields }).expect('thing')
}

/** Compares the faults of model files (YAML, one model each, `models/1.yaml` …) with one message for each mark `»`. */
export function assertModelFaults(marked: string | readonly string[], messages: readonly string[]): void {
  const texts = typeof marked === 'string' ? [marked] : marked
  const places: string[] = []
  const definitions = texts.map((each, index) => {
    const file = `models/${index + 1}.yaml`
    const { text, places: own } = unmark(each)
    places.push(...own.map((place) => `${file}:${place}`))
    const { definition, faults } = parseText(text, file, 'yaml')
    assert.deepEqual(linesOf(faults.list), [])
    return definition
  })
  assert.equal(places.length, messages.length, 'every message has its mark')
  assertLines(
    linesOf(buildRegistry(definitions, { ...AUTH_MODELS, fixed: VIEW_MODELS }).faults.list),
    messages.map((message, index) => `${places[index]}: ${message}`),
  )
}

/** The text of a model file with these fields, one per line from line 3. */
export const withFields = (...fields: readonly string[]): string =>
  `name: Thing\nfields:\n${fields.map((field) => `  - ${field}\n`).join('')}`

/** The field or fields of one model, one per line, with a mark before each fault. */
export type FaultRow = readonly [name: string, fields: string | readonly string[], ...faults: string[]]

/** Runs one test per row: its fields have exactly these faults. */
export function faultTable(title: string, rows: readonly FaultRow[]): void {
  describe(title, () => {
    for (const [name, fields, ...faults] of rows) test(name, () => assertModelFaults(withFields(...[fields].flat()), faults))
  })
}

/** A small blog with several relations and field types. */
export const BLOG: readonly ModelDefinition[] = [
  {
    name: 'Post',
    timestamps: true,
    fields: [
      { name: 'title', type: 'string', required: true, min_length: 3, max_length: 200 },
      { name: 'body', type: 'text' },
      { name: 'status', type: 'choice', choices: ['draft', 'published'], default: 'draft' },
      { name: 'rating', type: 'number', gte: 0, lte: 5 },
      { name: 'views', type: 'integer', default: 0 },
      { name: 'featured', type: 'boolean', default: false },
      { name: 'day', type: 'date' },
      { name: 'hour', type: 'time' },
      { name: 'published_at', type: 'datetime' },
      { name: 'languages', type: 'multichoice', choices: ['en', 'de', 'fr'] },
      { name: 'meta', type: 'json' },
      { name: 'secret', type: 'password', min_length: 8, pattern: '[0-9]' },
      { name: 'author_id', type: 'foreignkey', model: 'user', required: true },
      { name: 'tags', type: 'many_to_many', model: 'tag' },
    ],
  },
  {
    name: 'Tag',
    fields: [
      { name: 'name', type: 'string', required: true },
      { name: 'slug', type: 'slug' },
      { name: 'parent_id', type: 'foreignkey', model: 'tag', on_delete: 'set_null' },
    ],
  },
]
