import assert from 'node:assert/strict'
import { test } from 'node:test'
import { introduce, pageAddress, reachable } from '../../src/cli/introduction.ts'
import { processIo } from '../../src/cli/io.ts'
import { openTestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { builtPage } from '../helpers/page/built-page.ts'

const ADDRESS = 'http://127.0.0.1:8000'

/** What a start logs, and the address that it opens. */
async function introduced(options: TestAppOptions): Promise<{ messages: string[]; opened: string }> {
  await using app = await openTestApp(options)
  await introduce(app.live, { address: ADDRESS, showToken: false }, processIo())
  const messages = app.logged.map((line) => String(JSON.parse(line).msg))
  return { messages, opened: pageAddress(app.live, ADDRESS) }
}

const pages = (messages: readonly string[]) => messages.filter((message) => / page |Documentation/.test(message))

test('a start names the address of the admin page before that of the documentation', async () => {
  await using built = await builtPage()
  const { messages, opened } = await introduced({ ui: built.path, settings: { base_path: '/backend' } })
  assert.deepEqual(pages(messages), [
    `Admin page at ${ADDRESS}/backend/admin/`,
    `Documentation at ${ADDRESS}/backend/docs; log in as admin`,
  ])
  assert.equal(opened, `${ADDRESS}/backend/admin/`)
})

test('a start without the admin page names, and opens, the documentation', async () => {
  const { messages, opened } = await introduced({ settings: { ui: { enabled: false } } })
  assert.deepEqual(pages(messages), [`Documentation at ${ADDRESS}/docs; log in as admin`])
  assert.equal(opened, `${ADDRESS}/docs`)
})

test('a start says in one line that the admin page was not built', async () => {
  const { messages, opened } = await introduced({ ui: '/nonexistent/ui' })
  assert.deepEqual(pages(messages), [
    'The admin page was not built into /nonexistent/ui; run `npm run build`, then start the server again',
    `Documentation at ${ADDRESS}/docs; log in as admin`,
  ])
  assert.equal(opened, `${ADDRESS}/docs`)
})

test('a wildcard address is replaced with the loopback address', () => {
  assert.equal(reachable('http://0.0.0.0:8000'), 'http://127.0.0.1:8000')
  assert.equal(reachable('http://[::]:8000'), 'http://[::1]:8000')
  assert.equal(reachable('http://10.0.0.0:8000'), 'http://10.0.0.0:8000')
})
