import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatSource } from '../../src/config/source.ts'
import type { Model } from '../../src/model/model.ts'
import { parseModel } from '../../src/model/parse-model.ts'
import { ruleProblems } from '../../src/validate/rule-problems.ts'
import { RuleCompiler } from '../../src/validate/rules.ts'

const { model } = parseModel({
  value: {
    name: 'Post',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'status', type: 'choice', choices: ['draft', 'published'] },
      { name: 'rating', type: 'number' },
      { name: 'views', type: 'integer' },
      { name: 'is_featured', type: 'boolean' },
      { name: 'published_at', type: 'datetime' },
      { name: 'metadata', type: 'json' },
      { name: 'languages', type: 'multichoice', choices: ['en', 'de'] },
      { name: 'author_id', type: 'foreignkey', model: 'user' },
    ],
  },
  source: flatSource('models/post.yaml'),
})

const rows: readonly (readonly [rule: string, ...problems: string[]])[] = [
  ['self.title == 5', 'self.title == 5 is never true: a string never equals an int'],
  ['self.title != 5', 'self.title != 5 is always true: a string never equals an int'],
  ['self.title > 5', 'self.title > 5 never holds: a string cannot be compared with an int'],
  ['5 in self.languages', '5 in self.languages is never true: an int is never in a list<string>'],
  ['self.views in ["a"]', 'self.views in ["a"] is never true: an int is never in a list<string>'],
  ['self.is_featured == "true"', 'self.is_featured == "true" is never true: a bool never equals a string'],
  ['self.title == self.views', 'self.title == self.views is never true: a string never equals an int'],
  ['self.author_id == "ann"', 'self.author_id == "ann" is never true: an int never equals a string'],
  [
    'self.title == 5 || self.views < "x"',
    'self.title == 5 is never true: a string never equals an int',
    'self.views < "x" never holds: an int cannot be compared with a string',
  ],
  ['self.status == "publishd"', `self.status == "publishd": 'status' is never 'publishd'; did you mean 'published'?`],
  ['"zzz" != self.status', `"zzz" != self.status: 'status' is never 'zzz' (known: draft, published)`],
  [
    'self.status in ["draft", "publishd"]',
    `self.status in ["draft", "publishd"]: 'status' is never 'publishd'; did you mean 'published'?`,
  ],
  ['self.title', 'The rule is a string, and must be true or false; compare it with a value'],
  ['self.views > 1 ? self.title : "x"', 'The rule is a string, and must be true or false; compare it with a value'],
  ['1 > 2 || false', 'The condition is always false, so it holds for no record'],
  ['true'],
  ['self.status == "published"'],
  ['self.rating > 3 && self.views >= 1.5'],
  ['self.rating == self.views'],
  ['self.published_at == null || self.title != null'],
  ['self.published_at > "2024-01-01"'],
  ['self.metadata == 5 || self.metadata == "x"'],
  ['"en" in self.languages'],
  ['self.languages.all(language, language != "fr")'],
  ['size(self.title) > 3'],
  ['timestamp(self.published_at) > timestamp("2024-01-01T00:00:00Z")'],
  ['self.title ='],
  ['self.titel == 5'],
  ['self.views + 1'],
  ['size(self.title)'],
]

for (const [rule, ...problems] of rows) {
  test(`${rule}: ${problems.length === 0 ? 'nothing' : 'told'}`, () =>
    assert.deepEqual(ruleProblems(rule, model as Model), problems))
}

test('a rule reported as never true is true for no record', () => {
  const compiler = new RuleCompiler(model as Model)
  const values = { title: 'x', status: 'draft', rating: 2.5, views: 5n, is_featured: true, languages: ['en'], author_id: 1n }
  for (const [rule, problem = ''] of rows) {
    if (!problem.includes('is never true')) continue
    for (const self of [values, { ...values, title: '5', views: null, author_id: null }]) {
      const compiled = compiler.compile({ rule: rule.split(' || ')[0] ?? rule, field: 'title', message: 'No' })
      assert.ok(!compiled.holds({ published_at: null, metadata: null, id: 1n, ...self }), rule)
    }
  }
})
