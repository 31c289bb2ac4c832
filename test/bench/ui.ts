import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { startChromium } from '../helpers/chromium.ts'
import { startServer } from '../helpers/cli/process.ts'
import { ROOT } from '../helpers/fixture.ts'
import { compressedSize, filesOfFirstList, readManifest } from '../helpers/page/page-build.ts'
import type { BenchOptions } from './options.ts'
import { type BenchSite, longestTask, throttle, timeOfLoad, withPage } from './page/browser.ts'
import { invoiceLinesFigures } from './page/invoice-lines.ts'
import { liveListTime } from './page/live-list.ts'
import { manyModelsFigures } from './page/many-models.ts'
import { manyRecordsFigures } from './page/many-records.ts'
import { COLUMNS, manyModels, ROOT_ACCOUNT, ROWS, WIDE_MODEL } from './page/projects.ts'
import { type Figure, failureOf, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

const BLOG_ACCOUNT = { username: 'admin', password: 'harbour-admin-2024' }
const LIST = '/admin/models/post'
const ROWS_SHOWN = `document.querySelectorAll('tbody tr').length > 0`

/** Number of loads, and of times that the list is scrolled; a figure is their median. */
const LOADS = 7

/** What is allowed. Sizes in KB and MB of powers of ten. */
const ALLOWED = { firstList: 220, tarball: 3, firstRows: 1400, requests: 3, task: 50, liveList: 1000 }

/** Measures the admin page in Chromium: sizes, first rows, requests, live list, scrolling, many models, many records. */
export async function uiBench({ records = [10_000, 1_000_000] }: BenchOptions): Promise<Result[]> {
  const results: Result[] = []
  const add = async (name: string, measure: () => Promise<Figure[]>) => {
    say(`ui: ${name}`)
    results.push(...(await measure().catch((error: unknown) => [failureOf({ bench: 'ui', name }, error)])))
  }
  await add('sizes', sizes)
  const browser = await startChromium()
  try {
    await withServers(async (blog, many) => {
      await add('first rows', async () => [await firstRows(browser, blog)])
      await add('requests', async () => [await requests(browser, blog)])
      await add('live list', async () => [
        limited('a write elsewhere until an open list shows it', 'ms', await liveListTime(browser, blog), ALLOWED.liveList),
      ])
      await add('scrolling', async () => [await scrolling(browser, many)])
      await add('invoice lines', () => invoiceLinesFigures(browser))
      await add('many models', () => manyModelsFigures(browser, blog, many))
    })
    for (const count of records) await add(`${count} records`, () => manyRecordsFigures(browser, count))
  } finally {
    await browser.close()
  }
  return results
}

/** Runs the fixture and the project of many models, both without limits of requests. */
async function withServers(work: (blog: BenchSite, many: BenchSite) => Promise<void>): Promise<void> {
  await using project = await manyModels()
  const serve = (folder: string) => startServer(['--project', folder, '--ephemeral', '--no-rate-limit'])
  const [blog, many] = await Promise.all([serve(join(ROOT, 'fixtures/blog')), serve(project.path)])
  try {
    await work({ address: blog.address, account: BLOG_ACCOUNT }, { address: many.address, account: ROOT_ACCOUNT })
  } finally {
    await Promise.all([blog.stop(), many.stop()])
  }
}

/** A figure with its limit as the baseline. */
const limited = (name: string, unit: string, ours: number, allowed: number): Figure => ({
  bench: 'ui',
  name: `${name}, beside the allowed`,
  unit,
  ours,
  baseline: allowed,
  ratio: ours / allowed,
  bar: { is: 'at most', ratio: 1 },
})

async function sizes(): Promise<Figure[]> {
  const bytes = filesOfFirstList(readManifest()).reduce((sum, path) => sum + compressedSize(path), 0)
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  const [{ size }] = JSON.parse(stdout) as [{ size: number }]
  return [
    limited('scripts and styles before the first list, by gzip', 'KB', bytes / 1e3, ALLOWED.firstList),
    limited('tarball of the package', 'MB', size / 1e6, ALLOWED.tarball),
  ]
}

async function firstRows(browser: Browser, site: BenchSite): Promise<Figure> {
  const times: number[] = []
  for (let load = 0; load < LOADS; load++) {
    const measured = await withPage(browser, site, async (page) => {
      await throttle(page)
      return timeOfLoad(page, LIST, ROWS_SHOWN)
    })
    times.push(measured)
  }
  return limited('first rows at CPU ÷4, 10 Mbit/s, 40 ms', 'ms', median(times), ALLOWED.firstRows)
}

function requests(browser: Browser, site: BenchSite): Promise<Figure> {
  return withPage(browser, site, async (page) => {
    await page.goto('/admin/')
    await page.locator('.menu-nav a[href$="/models/post"]').first().waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      // Thumbnails are images of the list.
      if (pathname.includes('/api/') && !pathname.includes('/files/')) asked.push(request.url())
    })
    await page.locator('.menu-nav a[href$="/models/post"]').first().click()
    await page.locator('tbody tr').first().waitFor()
    // Requests that follow the rows belong to the list, too.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))')
    return limited('requests to open a list', '', asked.length, ALLOWED.requests)
  })
}

async function scrolling(browser: Browser, site: BenchSite): Promise<Figure> {
  const times: number[] = []
  for (let load = 0; load < LOADS; load++) times.push(await longestWhileScrolled(browser, site))
  return limited(`longest task while ${ROWS} rows × ${COLUMNS} columns are scrolled`, 'ms', median(times), ALLOWED.task)
}

function longestWhileScrolled(browser: Browser, site: BenchSite): Promise<number> {
  return withPage(browser, site, async (page) => {
    await page.goto(`/admin/models/${WIDE_MODEL}`)
    await page
      .locator('tbody tr')
      .nth(ROWS - 1)
      .waitFor()
    const columns = await page.locator('thead th').count()
    if (columns !== COLUMNS + 1) throw new Error(`The list has ${columns} columns`)
    await page.mouse.move(700, 500)
    return longestTask(browser, page, async () => {
      for (const [x, y] of [
        [0, 240],
        [240, 0],
        [0, -240],
      ] as const) {
        for (let step = 0; step < 15; step++) {
          await page.mouse.wheel(x, y)
          await page.evaluate('new Promise(requestAnimationFrame)')
        }
      }
    })
  })
}
