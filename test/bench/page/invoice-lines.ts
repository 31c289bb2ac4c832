import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { createClient } from '../../../src/client/client.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { ROOT } from '../../helpers/fixture.ts'
import { type Figure, median } from '../results/figures.ts'
import { type BenchSite, timeOfClick, timeOfMouseClick, withPage } from './browser.ts'

const ACCOUNT = { username: 'admin', password: 'alder-lane-admin-26' }

/** Lines of the invoice. */
const LINES = 200
const RUNS = 5
/** Milliseconds allowed until the invoice is open with all its lines, and until it is saved. */
const ALLOWED = { opens: 400, saves: 500, 'saves as a copy': 500 } as const

type Step = keyof typeof ALLOWED

const ALL_ROWS = `document.querySelectorAll('.rows-table [data-row]').length === ${LINES}`
const SAVED = `document.querySelector('.record-header [role=status]')?.textContent === '' && ${ALL_ROWS}`

/** Measures an invoice of 200 lines: from the click in the list until all lines are shown; saving one changed line; saving a copy of it all. */
export async function invoiceLinesFigures(browser: Browser): Promise<Figure[]> {
  const server = await startServer(['--project', join(ROOT, 'fixtures/clinic'), '--ephemeral', '--no-rate-limit'])
  try {
    const client = createClient({ url: server.address })
    await client.login(ACCOUNT.username, ACCOUNT.password)
    const invoice = { number: '2026-9999', patient_id: 1, doctor_id: 1 }
    const line = { code: 'GP20', description: 'Consultation, 20 minutes', quantity: '1', unit_price: '55', net_amount: '55' }
    const lines = Array.from({ length: LINES }, (_, index) => ({
      method: 'create',
      model: 'invoiceline',
      data: { ...line, invoice_id: { $ref: 'invoice' }, position: index + 1 },
    }))
    const operations = [{ method: 'create', model: 'invoice', ref: 'invoice', data: invoice }, ...lines]
    await client.batch(operations as Parameters<typeof client.batch>[0])
    const site = { address: server.address, account: ACCOUNT }
    const runs: Record<Step, number>[] = []
    for (let run = 0; run <= RUNS; run++) runs.push(await steps(browser, site, run))
    // The first run is not measured: it compiles the code of the server.
    return (Object.keys(ALLOWED) as Step[]).map((step): Figure => {
      const ours = median(runs.slice(1).map((each) => each[step]))
      const limit = { baseline: ALLOWED[step], ratio: ours / ALLOWED[step], bar: { is: 'at most', ratio: 1 } as const }
      return { bench: 'ui', name: `an invoice of ${LINES} lines ${step}, beside the allowed`, unit: 'ms', ours, ...limit }
    })
  } finally {
    await server.stop()
  }
}

const steps = (browser: Browser, site: BenchSite, run: number): Promise<Record<Step, number>> =>
  withPage(browser, site, async (page) => {
    await page.goto('/admin/models/invoice?filter=number%3D2026-9999')
    const opens = await timeOfMouseClick(page.getByRole('link', { name: '2026-9999' }), ALL_ROWS)
    await page.locator('[data-row] [data-column=description]').nth(99).click()
    await page.getByLabel('Description, row 100').fill(`Consultation ${run}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    const saves = await timeOfClick(save, SAVED)
    return { opens, saves, 'saves as a copy': await copySaved(page, run) }
  })

/** Milliseconds until a copy with all lines is stored and shown. */
async function copySaved(page: Page, run: number): Promise<number> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate with rows' }).click()
  await page
    .locator('.rows-table [data-row]')
    .nth(LINES - 1)
    .waitFor()
  await page.getByLabel('Invoice number').fill(`2026-80${10 + run}`)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  return timeOfClick(save, `!location.pathname.endsWith('/new') && ${SAVED}`)
}
