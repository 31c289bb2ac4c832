import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { BARE_ACCOUNTS } from '../../helpers/bare-project.ts'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { choose } from '../../helpers/browser-typing.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'
import { makeProject } from '../../helpers/fixture.ts'

const { superuser, visitor } = BARE_ACCOUNTS

const project = await makeProject({
  'models/note.yaml': 'name: Note\nfields: [{ name: text, type: string }]\n',
  'jobs/press.js': `import { defineJob } from 'admin-folder'
export const print = defineJob({
  name: 'print',
  input: [
    { name: 'copies', type: 'integer', required: true, gte: 1, label: 'Copies' },
    { name: 'paper', type: 'choice', choices: ['thin', 'thick'], label: 'Paper' },
  ],
  attempts: 1,
  async run({ copies }, ctx) {
    if (copies === 13 && (await ctx.system.model('note').list({ page_size: 1 })).total === 0) throw new Error('The printer is on fire')
  },
})
export const weekly = defineJob({ name: 'weekly', schedule: '0 6 * * MON', timezone: 'Europe/Berlin', run() {} })
export default [print, weekly]
`,
  'seed/user.json': JSON.stringify([
    { ...superuser, email: 'admin@example.org', is_superuser: true },
    { ...visitor, email: 'visitor@example.org' },
  ]),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

const jobs = (page: Page) => page.getByRole('region', { name: 'Jobs' }).locator('tbody').getByRole('row')

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Stores a job by the API. @returns its id */
async function stored(server: RunningServer, body: object, name = 'print'): Promise<number> {
  const answer = await (await apiOf(server, superuser)).request(`/jobs/${name}/run`, { method: 'POST', body })
  return (answer as { data: { id: number } }).data.id
}

/** Chooses a job of the menu. */
async function runOne(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Run a job' }).click()
  await page.getByRole('menuitem', { name }).click()
}

inBrowser(
  'a job is run with its input, and the list follows what becomes of it',
  { as: superuser, at: '/tools', allows: ['400 /jobs/print/run'] },
  async ({ page, checkAccess }) => {
    await page.getByRole('tab', { name: 'Jobs' }).click()
    await page.waitForURL(/tab=jobs/)
    await runOne(page, 'print')
    const copies = dialog(page, 'Run print').getByLabel('Copies')
    await copies.press('Enter')
    await dialog(page, 'Run print').locator('[data-field=copies]').getByText('Copies is mandatory').waitFor()
    assert.equal(await copies.getAttribute('aria-invalid'), 'true')
    await checkAccess()
    await copies.fill('3')
    await dialog(page, 'Run print').getByRole('button', { name: 'Run print' }).click()
    await page.getByText('print will run shortly').waitFor()
    await dialog(page, 'Run print').waitFor({ state: 'detached' })
    await jobs(page).filter({ hasText: 'print' }).first().getByText('Done').waitFor()
    await checkAccess()

    await runOne(page, 'weekly')
    await dialog(page, 'Run weekly').getByText('It runs once, as soon as possible.').waitFor()
    await dialog(page, 'Run weekly').getByRole('button', { name: 'Run weekly' }).click()
    await jobs(page).filter({ hasText: 'weekly' }).first().getByText('Done').waitFor()
  },
)

inBrowser(
  'a failed job shows its error and its input, and runs again',
  { as: superuser },
  async ({ page, server, path, checkAccess }) => {
    const id = await stored(server, { input: { copies: 13, paper: 'thick' } })
    await page.goto(`${path}/tools?tab=jobs&status=failed`)
    const row = jobs(page).filter({ hasText: `print #${id}` })
    await row.getByText('The printer is on fire').waitFor()
    await checkAccess()
    await row.getByRole('button', { name: `print #${id}` }).click()
    await page.waitForURL(new RegExp(`job=${id}`))
    await dialog(page, `print #${id}`)
      .getByRole('region', { name: 'Error' })
      .getByText('jobs/press.js:10 print: The printer is on fire')
      .waitFor()
    const input = await dialog(page, `print #${id}`).getByRole('region', { name: 'Input' }).innerText()
    assert.deepEqual(JSON.parse(input), { copies: 13, paper: 'thick' })
    await checkAccess()
    await page.keyboard.press('Escape')
    await dialog(page, `print #${id}`).waitFor({ state: 'detached' })
    await (await apiOf(server, superuser)).model('note').create({ text: 'The fire is out' })
    await row.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(`print #${id} will run shortly`).waitFor()
    await row.waitFor({ state: 'detached' })
    await choose(page.getByLabel('State'), 'Done')
    await row.getByRole('cell', { name: /^(Attempt: )?2$/ }).waitFor()
    assert.equal(await row.getByRole('button', { name: 'Retry' }).count(), 0)
  },
)

inBrowser('jobs are filtered by name, and a job that waits runs at once', { as: superuser }, async ({ page, server, path }) => {
  const run_at = '2099-01-01T06:00:00.000Z'
  const id = await stored(server, { run_at, key: 'New Year' }, 'weekly')
  const other = await stored(server, { input: { copies: 1 }, run_at })
  await page.goto(`${path}/tools?tab=jobs&status=waiting`)
  const row = (of: number) => jobs(page).filter({ hasText: `#${of}` })
  await row(other).waitFor()
  await choose(page.getByRole('combobox', { name: 'Job' }), 'weekly')
  await page.waitForURL(/name=weekly/)
  await row(other).waitFor({ state: 'detached' })
  await row(id).getByRole('button').click()
  await dialog(page, `weekly #${id}`).getByText('New Year').waitFor()
  await dialog(page, `weekly #${id}`).getByText('0 6 * * MON Europe/Berlin').waitFor()
  await dialog(page, `weekly #${id}`).getByRole('button', { name: 'Run now' }).click()
  await page.getByText(`weekly #${id} will run shortly`).waitFor()
  await row(id).waitFor({ state: 'detached' })
  // The filters are those of this tab.
  await page.getByRole('tab', { name: 'Metrics' }).click()
  await page.waitForURL((url) => url.search === '')
})

const others = browserSite()

others('a project without jobs has no tab for them', { at: '/tools?tab=jobs' }, async ({ page }) => {
  await page.getByRole('tab', { name: 'Metrics', selected: true }).waitFor()
  assert.equal(await page.getByRole('tab', { name: 'Jobs' }).count(), 0)
})
