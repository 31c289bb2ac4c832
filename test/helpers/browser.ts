import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { startChromium, WITHOUT_CHROMIUM } from './chromium.ts'
import { copyFixture, ROOT, type TemporaryFolder } from './fixture.ts'
import { type RunningServer, startServer } from './process.ts'

/** The width of a phone, a tablet and a desk. */
export const WIDTHS = [360, 768, 1280] as const
export const SCHEMES = ['light', 'dark'] as const

/** Accounts of `fixtures/blog` with their passwords. */
export const ACCOUNTS = {
  superuser: { username: 'admin', password: 'harbour-admin-2024' },
  editor: { username: 'm.keller', password: 'harbour-editor-2024' },
} as const

/** Someone who logs in. */
export interface Account {
  readonly username: string
  readonly password: string
}

/** How the browser shows the page. */
export interface Variant {
  readonly scheme: (typeof SCHEMES)[number]
  readonly width: (typeof WIDTHS)[number]
}

/** Options of a server for tests in a browser. */
export interface SiteOptions {
  /** Folder of the project. Default: `fixtures/blog`. */
  readonly project?: string
  /** Runs on a copy of `fixtures/blog` that keeps its data in files, so that there are snapshots. Default: data in memory. */
  readonly keepsData?: boolean
  /** More arguments of `admin serve`. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Path of the page. Default: `/admin`. */
  readonly path?: string
}

/** Options of a test in a browser. */
export interface BrowserTestOptions {
  /** Who is logged in; null for a visitor. Default: the superuser. */
  readonly as?: Account | null
  /** Address that is opened, below the page's path. Default: `/`. */
  readonly at?: string
  /**
   * Responses of 400 and above that belong to the test, as `<status> <part of the address>`; any other one, and any other message of the
   * console, fails the test.
   */
  readonly allows?: readonly string[]
  /** Variants to run in. Default: one, or all six with the environment variable `ADMIN_TEST_MATRIX`. */
  readonly variants?: readonly Variant[]
}

/** What a test in a browser works with. */
export interface BrowserSituation {
  readonly page: Page
  readonly context: BrowserContext
  readonly server: RunningServer
  readonly variant: Variant
  /** Path of the page on the server, such as `/admin`. */
  readonly path: string
  /** Fails if axe finds a serious or critical problem in what the page shows now. Each test ends with it. */
  readonly checkAccess: () => Promise<void>
}

const MATRIX: readonly Variant[] = SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ scheme, width })))
const ONE: readonly Variant[] = [{ scheme: 'light', width: 1280 }]

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** One browser for all tests of a process; each test has a context of its own. */
let browser: Promise<Browser> | undefined

function sharedBrowser(): Promise<Browser> {
  browser ??= startChromium()
  return browser
}

after(async () => (await browser)?.close())

/**
 * Returns a function that defines a test in a browser. The tests of one call share a server, which starts with the first of them.
 *
 * A test fails on a violation of the content security policy, on an error in the console or of a script, on an unexpected response of 400
 * and above, and if axe finds a serious or critical problem at its end.
 */
export function browserSite({
  project = join(ROOT, 'fixtures/blog'),
  keepsData = false,
  args = [],
  env = {},
  path = '/admin',
}: SiteOptions = {}) {
  let started: Promise<RunningServer> | undefined
  let copy: TemporaryFolder | undefined
  const start = async () => {
    if (keepsData) copy = await copyFixture('blog')
    const data = copy === undefined ? ['--project', project, '--ephemeral'] : ['--project', copy.path]
    return startServer([...data, '--no-rate-limit', ...args], { env })
  }
  after(async () => {
    await (await started)?.stop()
    await copy?.remove()
  })

  return (
    name: string,
    { as = ACCOUNTS.superuser, at = '/', allows = [], variants }: BrowserTestOptions,
    body: (situation: BrowserSituation) => Promise<void>,
  ) => {
    for (const variant of variants ?? (process.env.ADMIN_TEST_MATRIX ? MATRIX : ONE)) {
      test(`${name} (${variant.scheme}, ${variant.width} px)`, { skip: WITHOUT_CHROMIUM }, async () => {
        started ??= start()
        const [server, browser] = await Promise.all([started, sharedBrowser()])
        const context = await browser.newContext({
          viewport: { width: variant.width, height: 900 },
          colorScheme: variant.scheme,
          hasTouch: variant.width === 360,
          baseURL: server.address,
          locale: 'en-GB',
          timezoneId: 'Europe/Berlin',
        })
        try {
          if (as !== null) await logIn(context, server, as)
          const page = await context.newPage()
          page.setDefaultTimeout(10_000)
          const faults = watchFaults(page, allows)
          const checkAccess = () => assertAccessible(page)
          await page.goto(path + at)
          await body({ page, context, server, variant, path, checkAccess })
          await checkAccess()
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      })
    }
  }
}

/** What a login leaves in the browser. Once only, since a test may log out. */
const HINT = `if (!sessionStorage.wasLoggedIn) localStorage['admin.hasSession'] = sessionStorage.wasLoggedIn = 'true'`

/** Logs in through the API: the cookie of the session is that of the context. */
async function logIn(context: BrowserContext, server: RunningServer, { username, password }: Account): Promise<void> {
  const data = { username, password, refresh: 'cookie' }
  const response = await context.request.post(`${server.address}/api/v1/auth/token`, { data })
  assert.equal(response.status(), 200, await response.text())
  await context.addInitScript({ content: HINT })
}

/** Collects what must not happen in a page. */
function watchFaults(page: Page, allows: readonly string[]): string[] {
  const faults: string[] = []
  const isAllowed = (response: Response) =>
    allows.some((allowed) => {
      const [status, ...address] = allowed.split(' ')
      return String(response.status()) === status && response.url().includes(address.join(' '))
    })
  page.on('response', (response) => {
    if (response.status() >= 400 && !isAllowed(response))
      faults.push(`${response.status()} ${response.request().method()} ${response.url()}`)
  })
  page.on('console', (message) => {
    // The browser also writes a line for each response of 400 and above; these are judged by the responses.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`))
  return faults
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** Whether the page shows a former state until an answer arrives, or changes one by an animation: both reduce the contrast. */
const IS_MOVING = `document.querySelector('[aria-busy=true]') !== null || document.getAnimations().some((each) => each.playState === 'running' && each.effect.getTiming().iterations === 1)`

/** The debugger's protocol evaluates axe, since the policy of the page would refuse it as a script. */
async function assertAccessible(page: Page): Promise<void> {
  while (await page.evaluate(IS_MOVING)) await page.waitForTimeout(20)
  await page.evaluate(AXE)
  const results = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults
  const serious = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const found = serious.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  )
  assert.deepEqual(found, [], 'axe')
}
