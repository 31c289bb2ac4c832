import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../src/util/json.ts'
import { compileForm, type FormSource } from '../../src/validate/form.ts'
import { BLOG, registryOf } from '../model/models.ts'

const post = registryOf(...BLOG).expect('post')

type Part = Partial<FormSource>

const rule = (expression: string, field = 'title', message = 'No'): Part => ({ rules: [{ rule: expression, field, message }] })
const options = (name: string, bounds: JsonObject): Part => ({ fields: [{ name, options: bounds }] })

describe('the lists of a form', () => {
  const rows: readonly { name: string; form: Part; creation: string[] | undefined; update: string[] | undefined }[] = [
    { name: 'none', form: {}, creation: undefined, update: undefined },
    {
      name: 'both',
      form: { creation_fields: ['title', 'body'], allowed_update_fields: ['body'] },
      creation: ['title', 'body'],
      update: ['body'],
    },
    {
      name: 'creation_fields alone applies to updates too',
      form: { creation_fields: ['title'] },
      creation: ['title'],
      update: ['title'],
    },
    { name: 'update alone', form: { allowed_update_fields: ['body'] }, creation: undefined, update: ['body'] },
    { name: 'empty lists allow nothing', form: { creation_fields: [], allowed_update_fields: [] }, creation: [], update: [] },
  ]
  for (const { name, form: part, creation, update } of rows) {
    test(name, () => {
      const { form } = compileForm({ name: 'F', fields: [], ...part }, post)
      assert.deepEqual(form.creationFields && [...form.creationFields], creation)
      assert.deepEqual(form.updateFields && [...form.updateFields], update)
    })
  }
})

describe('forms that cannot be used', () => {
  const rows: readonly (readonly [name: string, form: Part, ...problems: (readonly [string, RegExp])[]])[] = [
    ['a syntax error', rule('self.title =='), ['rules.0.rule', /^The rule cannot be used: Unexpected token/]],
    ['an unknown variable', rule('title != null'), ['rules.0.rule', /^The rule cannot be used: Unknown variable: title/]],
    [
      'a field that the model lacks',
      rule('self.titel != null'),
      ['rules.0.rule', /^The rule cannot be used: Model 'Post' has no field 'titel'; did you mean 'title'\?$/],
    ],
    [
      'a pattern in a rule that cannot be run',
      rule('self.title.matches("(?=a)")'),
      ['rules.0.rule', /^The rule cannot be used: .*lookaround and backreferences are not supported/],
    ],
    [
      'a rule that returns a number',
      rule('1 + 1'),
      ['rules.0.rule', /^The rule cannot be used: it gives an int, where true or false is meant/],
    ],
    [
      'a bound in quotes',
      options('title', { max_length: '3' }),
      ['fields.0.options', /^The options of 'title' cannot be used: .*max_length.* must be a number/],
    ],
    ['choices that are no list', options('status', { choices: 'draft' }), ['fields.0.options', /choices/]],
    ['choices without a value', options('status', { choices: [{ label: 'Draft' }] }), ['fields.0.options', /choices/]],
    ['no choices', options('status', { choices: [] }), ['fields.0.options', /choices/]],
    ['a bad pattern', options('title', { pattern: '[a' }), ['fields.0.options', /missing closing \]/]],
    [
      'an unsafe pattern',
      options('title', { pattern: '(?=a)' }),
      ['fields.0.options', /lookaround and backreferences are not supported/],
    ],
    [
      'all of them, each in its place',
      {
        fields: [{ name: 'title' }, { name: 'body', options: { min_length: -1 } }, { name: 'views', options: { gte: 'x' } }],
        rules: [
          { rule: 'true', field: 'a', message: 'b' },
          { rule: '(', field: 'a', message: 'b' },
          { rule: 'x', field: 'a', message: 'b' },
        ],
      },
      ['fields.1.options', /'body'/],
      ['fields.2.options', /'views'/],
      ['rules.1.rule', /./],
      ['rules.2.rule', /Unknown variable: x/],
    ],
  ]
  for (const [name, form, ...problems] of rows) {
    test(name, () => {
      const found = compileForm({ name: 'F', fields: [], ...form }, post).problems
      assert.deepEqual(
        found.map(({ path }) => path.join('.')),
        problems.map(([path]) => path),
      )
      problems.forEach(([, message], index) => {
        assert.match(found[index]?.message ?? '', message)
      })
    })
  }
})
