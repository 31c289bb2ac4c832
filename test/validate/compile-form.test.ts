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
  const rows: readonly { name: string; form: Part; problems: readonly (readonly [string, RegExp])[] }[] = [
    {
      name: 'a syntax error',
      form: rule('self.title =='),
      problems: [['rules.0.rule', /^The rule cannot be used: Unexpected token/]],
    },
    {
      name: 'an unknown variable',
      form: rule('title != null'),
      problems: [['rules.0.rule', /^The rule cannot be used: Unknown variable: title/]],
    },
    {
      name: 'a field that the model lacks',
      form: rule('self.titel != null'),
      problems: [['rules.0.rule', /^The rule cannot be used: Model 'Post' has no field 'titel'; did you mean 'title'\?$/]],
    },
    {
      name: 'a pattern in a rule that cannot be run',
      form: rule('self.title.matches("(?=a)")'),
      problems: [['rules.0.rule', /^The rule cannot be used: .*lookaround and backreferences are not supported/]],
    },
    {
      name: 'a rule that returns a number',
      form: rule('1 + 1'),
      problems: [['rules.0.rule', /^The rule cannot be used: it gives an int, where true or false is meant/]],
    },
    {
      name: 'a bound in quotes',
      form: options('title', { max_length: '3' }),
      problems: [['fields.0.options', /^The options of 'title' cannot be used: .*max_length.* must be a number/]],
    },
    {
      name: 'choices that are no list',
      form: options('status', { choices: 'draft' }),
      problems: [['fields.0.options', /choices/]],
    },
    {
      name: 'choices without a value',
      form: options('status', { choices: [{ label: 'Draft' }] }),
      problems: [['fields.0.options', /choices/]],
    },
    { name: 'no choices', form: options('status', { choices: [] }), problems: [['fields.0.options', /choices/]] },
    { name: 'a bad pattern', form: options('title', { pattern: '[a' }), problems: [['fields.0.options', /missing closing \]/]] },
    {
      name: 'an unsafe pattern',
      form: options('title', { pattern: '(?=a)' }),
      problems: [['fields.0.options', /lookaround and backreferences are not supported/]],
    },
    {
      name: 'all of them, each in its place',
      form: {
        fields: [{ name: 'title' }, { name: 'body', options: { min_length: -1 } }, { name: 'views', options: { gte: 'x' } }],
        rules: [
          { rule: 'true', field: 'a', message: 'b' },
          { rule: '(', field: 'a', message: 'b' },
          { rule: 'x', field: 'a', message: 'b' },
        ],
      },
      problems: [
        ['fields.1.options', /'body'/],
        ['fields.2.options', /'views'/],
        ['rules.1.rule', /./],
        ['rules.2.rule', /Unknown variable: x/],
      ],
    },
  ]
  for (const { name, form, problems } of rows) {
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
