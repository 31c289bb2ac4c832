import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { startChromium, WITHOUT_CHROMIUM } from '../helpers/chromium.ts'
import { installPacked } from '../helpers/cli/packed.ts'
import { type RunningServer, startServer } from '../helpers/cli/process.ts'
import { makeProject, type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'

const APPS = join(import.meta.dirname, 'apps')
const COUNT = 12

const PROJECT = {
  'admin.config.yaml': 'rate_limits: { auth: 100 }\n',
  'models/event.yaml': `name: Event
fields:
  - { name: title, type: string, required: true, min_length: 3, searchable: true }
  - { name: starts_at, type: datetime }
  - { name: ends_at, type: datetime }
`,
  'views/event.yaml': `name: EventForm
view_type: form
model: Event
fields:
  - { name: title, title: Title }
  - { name: starts_at, title: Start }
  - { name: ends_at, title: End }
rules:
  - rule: "self.starts_at == null || self.ends_at == null || self.ends_at > self.starts_at"
    field: ends_at
    message: The event ends before it starts
`,
  'seed/user.yaml': '- { username: root, email: root@example.com, password: correct-horse, is_superuser: true }\n',
  'seed/event.yaml': Array.from({ length: COUNT }, (_, index) => `- { title: "Meeting ${index + 1}" }\n`).join(''),
}

/** Bundles a front end with the client of the packed package. */
async function bundled(name: string, packed: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(APPS, `${name}.tsx`)],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    alias: Object.fromEntries(
      ['client', 'react-admin', 'refine'].map((part) => [`admin-folder/${part}`, join(packed, `dist/client/${part}.js`)]),
    ),
  })
  return outputFiles[0]?.text ?? ''
}

async function servePages(pages: ReadonlyMap<string, string>): Promise<{ server: Server; origin: string }> {
  const server = createServer(({ url = '/' }, response) => {
    const [, name = '', file] = new URL(url, 'http://localhost').pathname.split('/')
    if (file === 'bundle.js') response.setHeader('content-type', 'text/javascript').end(pages.get(name))
    else
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><script type="module" src="/${name}/bundle.js"></script>`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  return { server, origin: `http://127.0.0.1:${port}` }
}

describe('front ends in a browser, with the packed package', { skip: WITHOUT_CHROMIUM }, () => {
  let folder: TemporaryFolder
  let project: TemporaryFolder
  let api: RunningServer
  let pages: Server
  let origin: string
  let browser: Browser
  let token: string

  before(async () => {
    folder = await temporaryFolder()
    project = await makeProject(PROJECT)
    const packed = await installPacked(folder.path)
    const names = ['react-admin', 'refine']
    const texts = await Promise.all(names.map((name) => bundled(name, packed.path)))
    const served = await servePages(new Map(names.map((name, index) => [name, texts[index] ?? ''])))
    pages = served.server
    origin = served.origin
    api = await startServer(['--project', project.path, '--ephemeral', '--cors', origin], { bin: packed.bin })
    const body = new URLSearchParams({ username: 'root', password: 'correct-horse' })
    const login = await fetch(`${api.address}/api/v1/auth/token`, { method: 'POST', body })
    token = ((await login.json()) as { access_token: string }).access_token
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    pages?.close()
    await api?.stop()
    await project?.remove()
    await folder?.remove()
  })

  /** Asks the API as another client does. */
  async function ask(
    method: string,
    path: string,
    data?: object,
  ): Promise<{ readonly data: Readonly<Record<string, unknown>>[] & Readonly<Record<string, unknown>> }> {
    const response = await fetch(`${api.address}/api/v1/models/event${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    })
    assert.ok(response.ok, await response.clone().text())
    return (await response.json()) as never
  }
  const titled = async (title: string) => (await ask('GET', `?filters=title=${encodeURIComponent(title)}`)).data

  for (const name of ['react-admin', 'refine']) {
    test(name, { timeout: 120_000 }, async () => {
      // Five hours behind UTC in January.
      const context = await browser.newContext({ timezoneId: 'America/New_York' })
      const page: Page = await context.newPage()
      page.setDefaultTimeout(15_000)
      const problems: string[] = []
      page.on('pageerror', (error) => problems.push(String(error)))
      const rows = page.getByRole('listitem')
      const shows = (...titles: string[]) =>
        page.waitForFunction(
          `JSON.stringify([...document.querySelectorAll('li')].map((row) => row.textContent)) === ${JSON.stringify(JSON.stringify(titles))}`,
        )
      const button = (label: string) => page.getByRole('button', { name: label, exact: true })
      /** Opens the form of a record, and waits for the record: before, react-admin shows that of the list. */
      const openForm = async (title: string) => {
        const read = page.waitForResponse(
          (response) => /\/models\/event\/\d+$/.test(response.url()) && response.request().method() === 'GET',
        )
        await button(title).click()
        await read
      }
      try {
        await page.goto(`${origin}/${name}/?api=${api.address}`)
        await page.getByLabel('username').fill('root')
        await page.getByLabel('password').fill('wrong-password')
        await button('Log in').click()
        await page
          .getByText(/incorrect|invalid|wrong/i)
          .first()
          .waitFor()
        await page.getByLabel('username').fill('root')
        await page.getByLabel('password').fill('correct-horse')
        await button('Log in').click()
        await rows.nth(4).waitFor()

        for (let reload = 0; reload < 5; reload++) {
          await page.reload()
          await rows.nth(4).waitFor()
        }
        await page.getByTestId('identity').filter({ hasText: 'root' }).waitFor()
        assert.equal(await page.getByTestId('total').textContent(), String(COUNT))

        await page.getByLabel('filter').fill('meeting 1')
        await shows('Meeting 1', 'Meeting 10', 'Meeting 11', 'Meeting 12')
        await button('Sort by title').click()
        await shows('Meeting 12', 'Meeting 11', 'Meeting 10', 'Meeting 1')
        await page.getByLabel('filter').fill('')
        // Both inputs change the filters that are shown, so the second waits for the first.
        await shows('Meeting 9', 'Meeting 8', 'Meeting 7', 'Meeting 6', 'Meeting 5')
        await page.getByLabel('search').fill('meeting 7')
        await shows('Meeting 7')

        const title = `Opening of ${name}`
        await button('Create').click()
        await page.getByLabel('title').fill(title)
        await page.getByLabel('starts_at').fill('2026-01-15T09:30')
        await page.getByLabel('ends_at').fill('2026-01-15T08:00')
        await button('Save').click()
        await page.getByTestId('error-ends_at').filter({ hasText: 'The event ends before it starts' }).waitFor()
        assert.equal(await page.getByTestId('error-title').textContent(), '')
        await page.getByLabel('ends_at').fill('2026-01-15T11:00')
        await button('Save').click()
        await button('Create').waitFor()
        const [created] = await titled(title)
        assert.deepEqual([created?.starts_at, created?.ends_at], ['2026-01-15T14:30:00.000Z', '2026-01-15T16:00:00.000Z'])

        await page.getByLabel('search').fill(title)
        await openForm(title)
        assert.equal(await page.getByLabel('starts_at').inputValue(), '2026-01-15T09:30')
        await ask('PUT', `/${created?.id}`, { title: `${title}, moved` })
        await page.getByLabel('title').fill(`${title}, cancelled`)
        await button('Save').click()
        await page
          .getByText(/has changed since/)
          .first()
          .waitFor()
        const [kept] = await titled(`${title}, moved`)
        assert.equal(kept?.id, created?.id)

        await page.goto(`${origin}/${name}/?api=${api.address}`)
        await rows.nth(4).waitFor()
        await page.getByLabel('search').fill(`${title}, moved`)
        await openForm(`${title}, moved`)
        await page.getByLabel('title').fill(`${title}, again`)
        await button('Save').click()
        await button('Create').waitFor()
        const [edited] = await titled(`${title}, again`)
        assert.deepEqual([edited?.id, edited?.starts_at], [created?.id, '2026-01-15T14:30:00.000Z'])

        await page.getByLabel('search').fill(`${title}, again`)
        await openForm(`${title}, again`)
        await button('Delete').click()
        await button('Create').waitFor()
        assert.deepEqual(await titled(`${title}, again`), [])

        await button('Log out').click()
        await page.getByLabel('password').waitFor()
        await page.reload()
        await page.getByLabel('password').waitFor()
        assert.deepEqual(problems, [])
      } catch (error) {
        throw new Error(`${error}\nThe page shows: ${await page.locator('body').innerText()}\n${problems.join('\n')}`, {
          cause: error,
        })
      } finally {
        await context.close()
      }
    })
  }
})
