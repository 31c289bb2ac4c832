import type { Browser, Page } from 'playwright-core'
import { accessTokens } from '../data/project.ts'
import { ask } from '../load/ask.ts'
import { searchIndexMade } from '../load/search-index.ts'
import { withMembers } from '../processes/members.ts'
import { type Figure, median } from '../results/figures.ts'
import { type BenchSite, timeOfClick, timeOfInput, timeOfMouseClick, withPage } from './browser.ts'
import { MEMBERS_AND_NOTES, ROOT_ACCOUNT } from './projects.ts'

/** Milliseconds allowed for each step. */
const ALLOWED = 300
/** Milliseconds allowed from a click until a list, a record or a form is painted, for up to `FEW` records. */
const ALLOWED_CLICK = 100
const FEW = 10_000
const RUNS = 5
/** Milliseconds without a key before a picker searches. */
const PAUSE = 250

const OPTIONS = `document.querySelectorAll('.combobox-list [role=option]').length`

/** Names of the steps that are clicks of the mouse on a link within the page. */
const OPENS = /^(list|record|new record) opens$/

/** Milliseconds of one run of the steps, by name. */
type Steps = Readonly<Record<string, number>>

/** Measures list, filter, last page, record, form and relation picker of a model with many records. */
export function manyRecordsFigures(browser: Browser, records: number): Promise<Figure[]> {
  return withMembers(
    records,
    undefined,
    async (address) => {
      const target = { address, tokens: accessTokens(1) }
      // The change of the password ends the session of the token.
      await searchIndexMade(target)
      const { password } = ROOT_ACCOUNT
      await ask(target, { method: 'PUT', path: '/api/v1/models/user/1', body: JSON.stringify({ data: { password } }) })
      const site = { address, account: { username: 'root1', password } }
      const runs: Steps[] = []
      // The first run is not measured: it makes the indexes.
      for (let run = 0; run <= RUNS; run++) runs.push(await steps(browser, site, records, run))
      const [, ...measured] = runs
      return Object.keys(runs[0] ?? {}).map((name): Figure => {
        const ours = median(measured.map((each) => each[name] ?? Number.NaN))
        const allowed = OPENS.test(name) && records <= FEW ? ALLOWED_CLICK : ALLOWED
        const limit = { baseline: allowed, ratio: ours / allowed, bar: { is: 'at most', ratio: 1 } as const }
        return { bench: 'ui', name: `${name}, beside the allowed`, records, unit: 'ms', ours, ...limit }
      })
    },
    { model: MEMBERS_AND_NOTES, users: 1 },
  )
}

async function steps(browser: Browser, site: BenchSite, records: number, run: number): Promise<Steps> {
  return withPage(browser, site, async (page) => ({
    ...(await listSteps(page, records, run)),
    ...(await formSteps(page)),
    ...(await pickerSteps(page, run)),
  }))
}

async function listSteps(page: Page, records: number, run: number): Promise<Steps> {
  await page.goto('/admin/')
  const list = await timeOfMouseClick(
    page.locator('.menu-nav a[href$="/models/member"]').first(),
    `document.querySelectorAll('tbody tr').length === 25`,
  )
  const pages = Math.ceil(records / 25)
  const last = await timeOfClick(
    page.getByRole('button', { name: 'Last page' }),
    `document.querySelector('.pager-form input').value === '${pages}'`,
  )
  const before = await page.locator('.pager-range').innerText()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('option', { name: 'Age', exact: true }).click()
  await page
    .getByRole('dialog')
    .getByLabel('From', { exact: true })
    .fill(String(30 + run))
  const filter = await timeOfClick(
    page.getByRole('button', { name: 'Apply' }),
    `document.querySelector('.pager-range')?.textContent !== ${JSON.stringify(before)} && document.querySelector('.list-scroll:not([aria-busy])') !== null`,
  )
  return { 'list opens': list, 'last page': last, filter }
}

async function formSteps(page: Page): Promise<Steps> {
  await page.goto('/admin/models/member')
  const filled = `document.querySelector('form.form .field input:not([type=checkbox])')?.value`
  await page.locator('tbody tr').first().waitFor()
  const record = await timeOfMouseClick(page.locator('tbody a.list-link').nth(3), filled)
  await page.goBack()
  const form = await timeOfMouseClick(page.getByRole('link', { name: /^Add/ }).first(), `${filled} === ''`)
  return { 'record opens': record, 'new record opens': form }
}

async function pickerSteps(page: Page, run: number): Promise<Steps> {
  await page.goto('/admin/models/note/new')
  const opened = await timeOfClick(page.locator('.combobox-trigger').first(), `${OPTIONS} > 0`)
  const name = ['karin', 'oscar', 'nadia', 'bruno', 'celia', 'dario'][run] ?? 'ann'
  const found = `${OPTIONS} > 0 && [...document.querySelectorAll('.combobox-list [role=option]')].every((option) => option.textContent.includes('${name}'))`
  const searched = await timeOfInput(page.locator('.combobox-input'), name, found)
  return { 'relation picker opens': opened, 'relation picker searches, after its pause': searched - PAUSE }
}
