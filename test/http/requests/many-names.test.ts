import assert from 'node:assert/strict'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'

const MODELS = '/api/v1/models'
const MANY = 3000

const unknown = Array.from({ length: MANY }, (_, index) => `titel${index}`)

/** A query of many unknown names, of which the response describes ten. */
const described = (path: string, parameter: string, first: string): Scenario =>
  scenario(
    `in ${parameter} of ${path}`,
    `GET ${MODELS}/${path}${path.includes('?') ? '&' : '?'}${parameter}=${unknown.join()}`,
    400,
    {
      check({ json }) {
        const messages = json.details[parameter]
        assert.equal(messages[0], first)
        assert.deepEqual([messages.length, messages.at(-1)], [11, `and ${MANY - 10} more`])
      },
    },
  )

scenarios('of many unknown names the first ten are described', [
  described('post', 'fields', "Unknown field 'titel0'; did you mean 'title'?"),
  described('post', 'sort_by', "Unknown field 'titel0'; did you mean 'title'?"),
  described('post', 'include', "'titel0' must be written <relation>__<field> (relations: author, category, tags)"),
  described('post/aggregate', 'group_by', "Unknown field 'titel0'; did you mean 'title'?"),
  described('post/aggregate', 'sum', "Unknown field 'titel0'; did you mean 'title'?"),
  described('post/search?q=a', 'fields', "Unknown search field 'titel0'; did you mean 'title'?"),
  described('post/export', 'fields', "Unknown field 'titel0'; did you mean 'title'?"),
  scenario('in the query', `GET ${MODELS}/post?${unknown.map((name) => `${name}=1`).join('&')}`, 400, {
    check({ json }) {
      assert.equal(Object.keys(json.details).length, 11)
      assert.deepEqual(json.details.titel10, ["Unknown query parameter 'titel10'", `and ${MANY - 11} more`])
    },
  }),
  scenario('in references of an import', `POST ${MODELS}/post/import`, 400, {
    body: [{ title: 'a', tags: unknown.map((name) => ({ [name]: 1 })) }],
    check({ json }) {
      const messages = json.detail.error['1.tags']
      assert.match(messages[0], /^tags cannot refer to a tag by 'titel0', which is no unique field/)
      assert.equal(messages[10], `and ${MANY - 10} more`)
    },
  }),
  scenario('in models of a subscription', 'POST /api/v1/webhooks', 400, {
    body: { url: 'https://example.org/', events: ['create'], models: unknown },
    check: ({ json }) => assert.equal(json.detail.error.models.at(-1), `and ${MANY - 10} more`),
  }),
])

/** A bulk update by filters that are too long, which changes nothing. */
const selects = (name: string, members: object, errors: Readonly<Record<string, readonly string[]>>): Scenario =>
  scenario(name, `PUT ${MODELS}/post/bulk`, 400, {
    body: { filters: [], expected_total: 46, data: { title: 'Changed' }, ...members },
    expect: { detail: { error: errors } },
  })

const TOO_LONG = (length: number) => `filters, any and search must have at most 65536 characters together, not ${length}`

scenarios('texts in bodies have limits as those in URLs have', [
  selects('many words', { search: 'lorem ipsum '.repeat(10_000) }, { search: [TOO_LONG(120_000)] }),
  selects('many characters without spaces', { search: '漢字'.repeat(50_000) }, { search: [TOO_LONG(100_000)] }),
  selects('many bars', { any: [`title=a${'|'.repeat(90_000)}`] }, { filters: [TOO_LONG(90_007)] }),
  selects('many values', { filters: [`id__in=${'1,'.repeat(50_000)}1`] }, { filters: [TOO_LONG(100_008)] }),
  selects('many filters', { filters: Array(31).fill('id=1') }, { filters: ['filters must hold at most 30 filters, not 31'] }),
  selects('many groups', { any: Array(31).fill('id=1') }, { any: ['any must hold at most 30 filters, not 31'] }),
  scenario('many links', `POST ${MODELS}/post`, 400, {
    body: { data: { tags: Array(25_001).fill(1) } },
    check: ({ json }) => assert.deepEqual(json.detail.error.tags, ['tags must hold at most 25000 records']),
  }),
])
