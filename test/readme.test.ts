import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SCAFFOLD } from '../src/cli/commands/init.ts'
import { runCli } from './helpers/cli/cli.ts'
import { makeProject } from './helpers/fixture.ts'

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

test('the first screen holds the one command that serves and the one that tests', () => {
  const firstScreen = readme.split('\n').slice(0, 24).join('\n')
  assert.match(firstScreen, /^npm ci && npm start$/m)
  assert.match(firstScreen, /^npm ci && npm test$/m)
  assert.match(scripts.start ?? '', /^node fixtures\/start\.js$/)
})

test('the example of faults is what is printed', async () => {
  const files = {
    ...SCAFFOLD,
    'models/article.yaml': (SCAFFOLD['models/article.yaml'] ?? '').replace('max_length', 'max_lenght'),
    'views/article.yaml': (SCAFFOLD['views/article.yaml'] ?? '').replace('published_at, author_id]', 'published_at, autor_id]'),
  }
  await using project = await makeProject(files)
  const { code, stderr } = await runCli(['serve', '--port', '0'], { cwd: project.path })
  assert.equal(code, 2)
  for (const line of stderr.trimEnd().split('\n')) assert.ok(readme.includes(line), `README lacks: ${line}`)
  assert.equal(stderr.trimEnd().split('\n').length, 2)
})
