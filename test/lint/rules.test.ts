import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { LintRule } from '../../src/lint/rule.ts'
import { RULE_IDS, RULES } from '../../src/lint/rules.ts'
import { ROOT } from '../helpers/fixture.ts'
import { lintExample, placeOf } from './projects.ts'

const rules = Object.entries<LintRule>(RULES)

/** The rules that the specification lists. */
const WANTED = [
  ...['unknown-model', 'unknown-field', 'fields-reference', 'duplicate-name', 'duplicate-field', 'type-mismatch'],
  ...['widget-mismatch', 'required-not-creatable', 'readonly-updatable', 'primary-key-writable', 'password-exposed'],
  ...['privileged-field', 'unreachable-field', 'default-invalid', 'choices-mismatch', 'looser-than-model'],
  ...['relation-display', 'rule-invalid', 'missing-title', 'no-form', 'no-list'],
]
  .map((name) => `view/${name}`)
  .concat(
    ['unknown-relation', 'impossible-bounds', 'unsafe-pattern', 'default-invalid', 'display-field', 'delete-cycle'].map(
      (name) => `model/${name}`,
    ),
    ['unknown-key', 'webhook-url', 'weak-secret'].map((name) => `config/${name}`),
  )

test('every required rule exists', () =>
  assert.deepEqual(
    WANTED.filter((id) => !Object.hasOwn(RULES, id)),
    [],
  ))

test('no rule takes the id of another one', () => {
  const folder = join(ROOT, 'src/lint/rules')
  const written = readdirSync(folder).flatMap((name) => {
    const matches = readFileSync(join(folder, name), 'utf8').matchAll(/^ {2}'([a-z]+\/[a-z-]+)': \{$/gm)
    return [...matches].map(([, id = '']) => id)
  })
  assert.deepEqual(written.sort(), [...RULE_IDS].sort())
})

for (const [id, { summary, details, invalid, valid }] of rules) {
  describe(id, () => {
    test('is documented, with at least two invalid and two valid examples', () => {
      assert.ok(details.length > 80 && /^[A-Z]/.test(summary), 'it says what it is for')
      assert.ok(invalid.length >= 2 && valid.length >= 2, `${invalid.length} invalid and ${valid.length} valid examples`)
    })

    for (const [index, example] of invalid.entries()) {
      test(`finds the marked spans in the invalid example ${index + 1}`, async () => {
        const { report, marks } = await lintExample(example)
        const found = report.findings.filter(({ rule, breaking }) => rule === id && breaking !== false)
        assert.ok(marks.length > 0, 'something is marked')
        assert.deepEqual(found.map(placeOf), marks, JSON.stringify(report.findings, null, 1))
      })
    }

    for (const [index, example] of valid.entries()) {
      test(`reports nothing in the valid example ${index + 1}`, async () => {
        const { report } = await lintExample(example)
        const found = report.findings.filter(({ rule, stopsServe }) => rule === id || stopsServe)
        assert.deepEqual(
          found.filter(({ breaking }) => breaking !== false),
          [],
        )
      })
    }
  })
}
