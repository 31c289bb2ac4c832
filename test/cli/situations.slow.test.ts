import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inSituation, SITUATIONS } from '../helpers/cli/situations.ts'

interface CommandScenario {
  readonly line: string
  readonly stdin?: string
  /** 0 when it is absent. */
  readonly code?: number
  /** Nothing when it is absent. */
  readonly stdout?: string | RegExp
  readonly stderr?: string | RegExp
}

const USERS: readonly CommandScenario[] = [
  {
    line: 'users add ann --email ann@example.com --password-stdin',
    stdin: 'long-enough-1\n',
    stderr: "Added user 'ann' with ID 10\n",
  },
  {
    line: 'users add bea --email bea@example.com --superuser --password-stdin --json',
    stdin: 'long-enough-1\n',
    stdout: /^\{"id":11,"username":"bea",(?!.*password).*"is_superuser":true/,
    stderr: "Added superuser 'bea' with ID 11\n",
  },
  {
    line: 'users add ann --email nowhere --password-stdin',
    stdin: 'short\n',
    code: 1,
    stderr: /^error (.*must be.*|.*format is invalid)\nerror /,
  },
  { line: 'users disable ann', stderr: "User 'ann' is disabled\n" },
  { line: 'users list', stdout: /^ID +USERNAME .*\n1 +admin .*\n10 +ann +ann@example.com +no +no\n11 +bea +\S+ +yes +yes\n$/s },
  { line: 'users enable ann', stderr: "User 'ann' is enabled\n" },
  { line: 'users passwd ann --password-stdin', stdin: 'another-one-1\n', stderr: "Changed the password of 'ann'\n" },
  { line: 'users list --json', stdout: /^\[\n(?!.*password).*"username": "ann"(?!.*password)/s },
  { line: 'users disable nobody', code: 1, stderr: "error There is no user 'nobody'; see `admin users list`\n" },
]

const MOCKS: readonly CommandScenario[] = [
  { line: 'mock tag category --count 3 --seed 5', stderr: 'Created 3 category records\nCreated 3 tag records\nThe seed was 5\n' },
  {
    line: 'mock --all --count 1 --seed 6 --locale de --json',
    stdout: '{"seed":6,"created":{"category":1,"tag":1,"post":1,"comment":1,"fee":1}}\n',
    stderr: /^Created 1 category record\n.*The seed was 6\n$/s,
  },
  { line: 'mock tagg', code: 1, stderr: "error There is no model 'tagg'; did you mean 'tag'?\n" },
  { line: 'mock tag --locale pt_PR', code: 2, stderr: "error There is no locale 'pt_PR'; did you mean 'pt_BR'?\n" },
  { line: 'mock', code: 2, stderr: 'error Name the models, or use --all for every model\n' },
]

const SEARCHES: readonly CommandScenario[] = [
  {
    line: 'search post empty ferry',
    stdout: '4  Night ferry, empty deck\n   slug: night-ferry-empty-deck\n',
    stderr: '1 record found\n',
  },
  { line: 'search tag feries --fuzzy --fields name', stdout: '2  Ferries\n', stderr: '1 record found\n' },
  {
    line: 'search tag ferries --fields name --json --limit 7',
    stdout: /^\{\n {2}"data": \[.*"page": 1,\n {2}"page_size": 7,\n {2}"total_pages": 1,.*"hits": \[/s,
    stderr: '1 record found\n',
  },
  {
    line: 'search comment harbour --fields body --limit 1',
    stdout: /^(?:\d.*\n(?: .*\n)*){1}$/,
    stderr: /^\d+ records found; the first is shown\n$/,
  },
  { line: 'search post xyzzy', stderr: 'Nothing found\n' },
  { line: 'search pots x', code: 1, stderr: "error There is no model 'pots'; did you mean 'post'?\n" },
  { line: 'search post x --fields titel', code: 1, stderr: "error Unknown search field 'titel'; did you mean 'title'?\n" },
]

const IMPORTS: readonly CommandScenario[] = [
  {
    line: 'import tag - --format csv --dry-run',
    stdin: 'name,slug\nReef,reef\n',
    stderr: '1 record would be imported; nothing was changed\n',
  },
  { line: 'import tag - --format csv', stdin: 'name,slug\nReef,reef\n', stderr: 'Imported 1 record\n' },
  {
    line: 'import tag - --format csv --upsert-by slug --json',
    stdin: 'name,slug\nReefs,reef\n',
    stdout: /"created":0,"updated":1,"total":1/,
    stderr: 'Imported 1 record (0 created, 1 updated)\n',
  },
  {
    line: 'import tag - --format csv',
    stdin: 'name,slug\n,x y\n',
    code: 1,
    stderr: /^error -:2: name is mandatory\nerror .*slug format is invalid: 'x y'\n$/,
  },
  { line: 'export tag --filters slug=reef --fields name', stdout: 'id,name\r\n13,Reefs\r\n' },
]

const WEBHOOKS: readonly CommandScenario[] = [
  {
    line: 'webhooks add https://example.com/hooks --models tag --secret chosen-by-a-person',
    stdout: 'chosen-by-a-person\n',
    stderr: 'Added webhook 1. The secret is shown only once.\n',
  },
  { line: 'webhooks list', stdout: /^ID .*\n1 +yes +create,update,delete +tag +0 +https:\/\/example.com\/hooks\n$/ },
  { line: 'webhooks disable 1', stderr: 'Webhook 1 is disabled\n' },
  { line: 'webhooks deliveries 1', stdout: /^ID +WEBHOOK.*\n$/ },
  { line: 'webhooks drain', stderr: 'No delivery is pending\n' },
  { line: 'webhooks remove 1', stderr: 'Removed webhook 1\n' },
  { line: 'webhooks remove 1', code: 1, stderr: 'error Webhook with ID 1 does not exist\n' },
]

const holds = (found: string, expected: string | RegExp = '') =>
  typeof expected === 'string' ? assert.equal(found, expected) : assert.match(found, expected)

for (const situation of SITUATIONS) {
  describe(`a command ${situation}`, () => {
    for (const [what, scenarios] of Object.entries({ USERS, MOCKS, SEARCHES, IMPORTS, WEBHOOKS })) {
      test(`${what.toLowerCase()}: ${scenarios.map(({ line }) => line.split(' ').slice(0, 2).join(' ')).join(', ')}`, () =>
        inSituation(situation, async (run) => {
          for (const { line, stdin = '', code = 0, stdout, stderr } of scenarios) {
            const result = await run(line, { stdin })
            assert.equal(result.code, code, `${line}: ${result.stderr}`)
            holds(result.stdout, stdout)
            holds(result.stderr, stderr)
          }
        }))
    }
  })
}
