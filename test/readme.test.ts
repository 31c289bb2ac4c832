import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SCAFFOLD } from '../src/cli/scaffold.ts'
import { DEFAULTS } from '../src/config/settings.ts'
import { runCli } from './helpers/cli.ts'
import { makeProject } from './helpers/fixture.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

test('the first screen holds the one command that serves and the one that tests', () => {
  const firstScreen = readme.split('\n').slice(0, 24).join('\n')
  assert.match(firstScreen, /^npm ci && npm start$/m)
  assert.match(firstScreen, /^npm ci && npm test$/m)
  assert.match(scripts.start ?? '', /serve --project fixtures\/blog --show-token/)
})

test('every setting is in the table, with its default', () => {
  for (const [name, value] of Object.entries(DEFAULTS)) {
    assert.ok(readme.includes(`\`${name}\``), `${name} is missing`)
    if (typeof value !== 'object')
      assert.ok(readme.includes(`\`${value === '' ? "''" : value}\``), `the default of ${name} is missing`)
  }
})

test('the verifier of webhooks has ten lines, takes what is sent and nothing else', async () => {
  const [, code = ''] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(readme) ?? []
  const body = code.slice(code.indexOf('export')).trimEnd()
  assert.ok(body.split('\n').length <= 10, body)
  const { verify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    verify: (body: string, secret: string) => boolean
  }
  const text = readFileSync(join(import.meta.dirname, '../fixtures/webhooks/vectors.json'), 'utf8')
  const vectors = JSON.parse(text) as { body: string; secrets: [string] }[]
  assert.ok(vectors.length >= 3, 'there are no vectors')
  for (const { body: sent, secrets } of vectors) {
    assert.ok(verify(sent, secrets[0]), sent)
    assert.ok(!verify(sent, 'another secret of some length'), 'any secret will do')
    assert.ok(!verify(sent.replace('"data":{"id":', '"data":{"id":1'), secrets[0]), 'any data will do')
    assert.ok(!verify(sent.replace('"}', '","more":1}'), secrets[0]), 'more may stand behind it')
    assert.ok(!verify('{}', secrets[0]), 'no signature is needed')
  }
})

test('every flag of serve is named', async () => {
  const { stdout } = await runCli(['serve', '--help'], { cwd: import.meta.dirname })
  for (const [flag] of stdout.matchAll(/^ {2}--[a-z-]+/gm)) {
    const name = flag.trim()
    assert.ok(readme.includes(name) || scripts.start?.includes(name), `${name} is missing`)
  }
})

test('the example of faults is what is printed', async () => {
  const files = {
    ...SCAFFOLD,
    'models/article.yaml': (SCAFFOLD['models/article.yaml'] ?? '').replace('max_length', 'max_lenght'),
    'views/article.yaml': (SCAFFOLD['views/article.yaml'] ?? '').replace('published_at, author_id]', 'published_at, autor_id]'),
  }
  const project = await makeProject(files)
  try {
    const { code, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path })
    assert.equal(code, 2)
    for (const line of stderr.trimEnd().split('\n')) assert.ok(readme.includes(line), `README lacks: ${line}`)
    assert.equal(stderr.trimEnd().split('\n').length, 2)
  } finally {
    await project.remove()
  }
})
