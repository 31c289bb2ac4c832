import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../src/util/json.ts'
import { RuleCompiler, ruleSubject } from '../../src/validate/rules.ts'
import { assertLines } from '../config/marks.ts'
import { BLOG, registryOf } from '../model/models.ts'

const post = registryOf(...BLOG).expect('post')
const compiler = new RuleCompiler(post)
const record: JsonObject = {
  id: 7,
  title: 'Hello',
  status: 'draft',
  rating: 4,
  views: 9,
  featured: false,
  day: '2024-05-01',
  published_at: '2024-05-01T10:00:00.000Z',
  languages: ['en', 'de'],
  meta: { depth: 2, list: [1, 2], nothing: null },
  author_id: 3,
  tags: [1, 4],
}

const holds = (rule: string, over: JsonObject = {}): boolean =>
  compiler.compile({ rule, field: 'title', message: 'No' }).holds(ruleSubject(post, { ...record, ...over }))

describe('rules that hold', () => {
  const rules = [
    'true',
    'self.title == "Hello"',
    'self.title.startsWith("He") && self.title.size() == 5',
    'self.title.matches("^H[a-z]+$")',
    'self.status in ["draft", "published"]',
    'self.rating > 3 && self.rating >= 4.0 && self.rating == 4 && self.rating < 4.5',
    'self.views % 2 == 1',
    'self.views / 2 == 4',
    'self.views + 1 == 10',
    'self.views > self.rating',
    'self.id == 7 && self.author_id == 3',
    '!self.featured',
    'self.day < "2024-06-01"',
    'timestamp(self.published_at) > timestamp("2024-01-01T00:00:00Z")',
    '"en" in self.languages && !("fr" in self.languages)',
    '4 in self.tags && !(2 in self.tags)',
    'self.tags.size() == 2 && size(self.languages) == 2',
    'self.tags.all(tag, tag > 0) && self.tags.exists(tag, tag == 4)',
    'self.meta.depth == 2 && self.meta.list[1] > 1 && self.meta.nothing == null',
    'self.published_at == null || self.status == "draft"',
    'self.body == null && self.hour == null && self.secret == null',
    'has(self.body) ? self.body == null : false',
    'self.rating == null ? true : self.rating <= 5',
    'self["title"] == "Hello"',
    'self.title.matches(r"^\\w+$") && self.title.matches("^\\\\w+$")',
    'self.title == "\\"" || self.title == \'Hello\'',
    '"a\\nb\\t" == "a\\u000ab\\x09" && size("\\\\") == 1',
    'size("é") == 1 && size("👍") == 1',
    'self.title != "👍"',
    '(1 + 2) * 3 == 9 && 1 + 2 * 3 == 7',
    '1 - (2 - 3) == 2',
    'self.views - (self.id - 2) == 4',
    '10 - (3 + 2) == 5',
    '2 * (3 % 2) == 2 && 8 / (4 / 2) == 4',
    '(self.views > 3) == (self.rating > 3)',
    '(self.views == 9) != (self.rating == 9)',
    'self.featured == (self.views > 3 && self.views < 3)',
    '(true ? false : true) ? false : true',
    '-(1 + 2) == -3 && 1 - -1 == 2',
    'self.featured || (self.featured || !self.featured) && true',
    '[1, 2].map(each, each * 2) == [2, 4] && {"a": 1}.a == 1',
  ]
  for (const rule of rules) test(rule, () => assert.equal(holds(rule), true))
})

describe('rules that do not hold', () => {
  const rules = ['false', 'self.title == "Bye"', 'self.views % 2 == 0', 'self.featured', '2 in self.tags', 'self.body != null']
  for (const rule of rules) test(rule, () => assert.equal(holds(rule), false))
})

describe('a rule that cannot be evaluated does not hold', () => {
  const rows: readonly (readonly [string, JsonObject?])[] = [
    ['self.rating > 3', { rating: null }],
    ['self.body.size() > 0'],
    ['self.views / 0 == 1'],
    ['self.views % 0 == 1'],
    ['self.tags[9] == 1'],
    ['self.meta.nope == null'],
    ['self.title > 1'],
    ['self.title'],
    ['self.title ? true : true'],
    ['timestamp(self.title) == timestamp(self.title)'],
  ]
  for (const [rule, over] of rows) test(`${rule} ${JSON.stringify(over ?? '')}`, () => assert.equal(holds(rule, over), false))

  test('but the other half of an or may', () => assert.equal(holds('self.body.size() > 0 || self.title == "Hello"'), true))
})

describe('matches runs in linear time', () => {
  const EVIL = 'self.title.matches("^(a+)+$")'

  test('an exponential pattern takes linear time on a hostile text', () => {
    // An engine that backtracks would not come back from the second of these before the sun goes out.
    assert.equal(holds(EVIL, { title: 'a'.repeat(50_000) }), true)
    assert.equal(holds(EVIL, { title: `${'a'.repeat(50_000)}b` }), false)
  })

  test('inside a macro, a branch and a list, and of a pattern that is put together, too', () => {
    const title = `${'a'.repeat(50_000)}b`
    for (const rule of [
      `[self.title].exists(each, each.matches("^(a+)+$"))`,
      `self.featured ? true : ${EVIL}`,
      `[${EVIL}][0]`,
      'self.title.matches("^(a+" + ")+$")',
      'self.title.matches(self.body)',
    ]) {
      assert.equal(holds(rule, { title, body: '^(a+)+$' }), false, rule)
    }
  })

  const patterns: readonly (readonly [string, boolean])[] = [
    ['(?P<first>H)ello', true],
    ['(?i)^hello$', true],
    ['\\\\Ahello', false],
    ['ell', true],
    ['^ell', false],
    ['', true],
  ]
  for (const [pattern, expected] of patterns) {
    test(`RE2 decides: ${pattern}`, () => assert.equal(holds(`self.title.matches("${pattern}")`), expected))
  }

  for (const pattern of ['(?=a)', '(?!a)', '(?<=a)b', '(a)\\\\1', '[a', 'a{1001}']) {
    test(`${pattern} is refused where it is written`, () => {
      for (const rule of [`self.title.matches("${pattern}")`, `self.languages.all(each, each.matches("${pattern}"))`]) {
        assert.throws(
          () => compiler.compile({ rule, field: 'a', message: 'b' }),
          /lookaround and backreferences|RE2 syntax/,
          rule,
        )
      }
    })
  }

  test('a pattern that only the record knows, and that cannot be run, does not hold', () => {
    assert.equal(holds('self.title.matches(self.body)', { body: '(?=H)' }), false)
    assert.equal(holds('self.title.matches(self.body)', { body: '[' }), false)
    assert.equal(holds('self.title.matches(self.body)', { body: '^H' }), true)
  })
})

describe('a rule that names a field which the model lacks is refused', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['self.nope == null', "Model 'Post' has no field 'nope'"],
    ['self.titel == "x"', "Model 'Post' has no field 'titel'; did you mean 'title'?"],
    ['self.author == 1', "Model 'Post' has no field 'author'…"],
    ['true || self.nope', "Model 'Post' has no field 'nope'"],
    ['self.title == null ? self.nope : true', "Model 'Post' has no field 'nope'"],
    ['self.tags.all(tag, tag > self.nope)', "Model 'Post' has no field 'nope'"],
    ['self.nope.matches("a")', "Model 'Post' has no field 'nope'"],
    ['has(self.nope)', "Model 'Post' has no field 'nope'"],
    ['self.constructor == null', "Model 'Post' has no field 'constructor'"],
    ['self.__proto__ == null', "Model 'Post' has no field '__proto__'"],
  ]
  for (const [rule, message] of rows) {
    test(rule, () =>
      assert.throws(
        () => compiler.compile({ rule, field: 'a', message: 'b' }),
        (error) => {
          assert.ok(error instanceof Error)
          assertLines([error.message], [message])
          return true
        },
      ),
    )
  }

  test('the content of a json field is dynamic', () => assert.equal(holds('self.meta.depth == 2'), true))

  test('each model has its own fields', () => {
    const tags = new RuleCompiler(registryOf(...BLOG).expect('tag'))
    assert.doesNotThrow(() => tags.compile({ rule: 'self.slug != null', field: 'slug', message: 'No' }))
    assert.throws(() => tags.compile({ rule: 'self.title != null', field: 'slug', message: 'No' }), /'Tag' has no field 'title'/)
  })
})

describe('rules that cannot be used', () => {
  const rows: readonly (readonly [string, RegExp])[] = [
    ['self.title ==', /Unexpected token/],
    ['self.title = "x"', /Unexpected character/],
    ['', /Unexpected token/],
    ['(self.title', /Expected|Unexpected/],
    ['title == "x"', /Unknown variable: title/],
    ['title == "x"', /; write self\.title$/],
    ['self.title == "x" or self.views > 1', /; write \|\| instead of or$/],
    ['self.title == "x" AND self.views > 1', /; write && instead of and$/],
    ['not self.featured', /; write ! instead of not$/],
    ['self.title === "x"', /; write == instead of ===$/],
    ['self.title !== "x"', /; write != instead of !==$/],
    ['self.title <> "x"', /; write != instead of <>$/],
    ['self.title = "and"', /; write == instead of =$/],
    ['self.title == "this or that', /^(?!.*instead of)/],
    ['this.title == "x"', /Unknown variable: this/],
    ['nofunction(self.title)', /nofunction/],
    ['1 + 1', /^it gives an int, where true or false is meant$/],
    ['"text"', /^it gives a string, where true or false is meant$/],
    ['[true]', /^it gives a list.*, where true or false is meant$/],
    ['null', /where true or false is meant$/],
  ]
  for (const [rule, message] of rows) {
    test(JSON.stringify(rule), () =>
      assert.throws(
        () => compiler.compile({ rule, field: 'a', message: 'b' }),
        (error) => error instanceof Error && message.test(error.message) && !error.message.includes('\n'),
      ),
    )
  }
})

describe('the record as rules see it', () => {
  test('integers are CEL integers, numbers are doubles, unset values are null', () => {
    const subject = ruleSubject(post, { id: 1, views: 2, rating: 2, author_id: 3, tags: [4], languages: ['en'] })
    assert.deepStrictEqual(
      [subject.id, subject.views, subject.rating, subject.author_id, subject.tags, subject.languages],
      [1n, 2n, 2, 3n, [4n], ['en']],
    )
    assert.deepStrictEqual([subject.title, subject.body, subject.created_at], [null, null, null])
  })

  test('every field of the model is there, and nothing else', () =>
    assert.deepEqual(Object.keys(ruleSubject(post, { nope: 1 })), [...post.fields.keys()]))

  test('a rule carries its field and its message', () => {
    const { field, message } = compiler.compile({ rule: 'true', field: 'title', message: 'No title' })
    assert.deepEqual({ field, message }, { field: 'title', message: 'No title' })
  })
})

test('rules see files as objects', () => {
  const model = registryOf({
    name: 'Article',
    fields: [
      { name: 'cover', type: 'image' },
      { name: 'gallery', type: 'image', multiple: true },
      { name: 'manual', type: 'file' },
    ],
  }).expect('article')
  const file = (width: number, name: string) => {
    const kind = { type: 'image/png', size: 1, sha256: 'a'.repeat(64), alt: null, uploaded_at: '2026-01-01T00:00:00.000Z' }
    return { id: 'token12345-1', name, width, height: 900, ...kind }
  }
  const subject = ruleSubject(model, { cover: file(1600, 'a.png'), gallery: [file(1, 'b.png'), file(2, 'c.png')], manual: null })
  for (const [rule, expected] of [
    ['self.cover.width >= self.cover.height', true],
    ['self.cover.width < 1600', false],
    ['size(self.gallery) >= 3', false],
    ['size(self.gallery) == 2 && self.gallery.all(file, file.name.endsWith(".png"))', true],
    ['self.gallery.exists(file, file.width > 1)', true],
    ['self.manual == null || self.manual.type == "application/pdf"', true],
    ['self.cover.alt == null', true],
  ] as const) {
    assert.equal(new RuleCompiler(model).compile({ rule, field: 'cover', message: 'No' }).holds(subject), expected, rule)
  }
})
