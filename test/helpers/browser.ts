import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import { type Account, LOGIN_HINT, logIn } from './browser-login.ts'
import { startChromium, WITHOUT_CHROMIUM } from './chromium.ts'
import { type RunningServer, startServer } from './cli/process.ts'
import { copyFixture, type FixtureName, type TemporaryFolder } from './fixture.ts'
import { SharedContexts } from './shared-contexts.ts'

/** The width of a phone, a tablet and a desk. */
export const WIDTHS = [360, 768, 1280] as const
export const SCHEMES = ['light', 'dark'] as const

/** Accounts of `fixtures/blog` with their passwords. */
export const ACCOUNTS = {
  superuser: { username: 'admin', password: 'harbour-admin-2024' },
  editor: { username: 'm.keller', password: 'harbour-editor-2024' },
  /** Without any permission. */
  newcomer: { username: 'newcomer', password: 'first-day-ashore' },
} as const

/** How the browser shows the page. */
export interface Variant {
  readonly scheme: (typeof SCHEMES)[number]
  readonly width: (typeof WIDTHS)[number]
}

/** Options of a server for tests in a browser. */
export interface SiteOptions {
  /** Folder of the project. Default: a copy of a fixture. */
  readonly project?: string
  /** Default: `blog`. */
  readonly fixture?: FixtureName
  /** True for a fixture whose records have their files; see `copyFixture`. */
  readonly withFiles?: boolean
  /** Keeps data in files, so that there are snapshots; not with `project`, since each variant has a server. Default: data in memory. */
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
  /** Widths at which the test makes sense. Default: all. */
  readonly widths?: readonly Variant['width'][]
}

/** What a test in a browser works with. */
export interface BrowserSituation {
  readonly page: Page
  readonly context: BrowserContext
  readonly server: RunningServer
  readonly variant: Variant
  /** Path of the page on the server, such as `/admin`. */
  readonly path: string
  /** Folder of the project. */
  readonly folder: string
  /**
   * Waits until nothing is loading or moving, and fails if axe finds a serious or critical problem in what the page then shows. Each test
   * ends with it.
   */
  readonly checkAccess: () => Promise<void>
}

const IN_ALL_VARIANTS = process.env.ADMIN_TEST_VARIANTS === 'all'

const VARIANTS: readonly Variant[] = SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ scheme, width })))

/**
 * The variants that a test runs in: the widest in light, or what the environment variable `ADMIN_TEST_VARIANTS` says. `varied` takes one that
 * depends on the name of the test, so that the tests together cover all; `all` takes all six.
 */
function variantsOf(name: string, widths: readonly Variant['width'][]): readonly Variant[] {
  const possible = VARIANTS.filter(({ width }) => widths.includes(width))
  if (IN_ALL_VARIANTS) return possible
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0)
  const chosen = process.env.ADMIN_TEST_VARIANTS === 'varied' ? sum % possible.length : widths.length - 1
  return possible.slice(chosen, chosen + 1)
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** One browser for all tests of a process. */
let browser: Promise<Browser> | undefined

function sharedBrowser(): Promise<Browser> {
  browser ??= startChromium()
  return browser
}

after(async () => (await browser)?.close())

/** A server, with the contexts in which its tests run. */
interface StartedSite {
  readonly server: RunningServer
  readonly contexts: SharedContexts
  readonly folder: string
  /** The copy of the fixture. */
  readonly copy: TemporaryFolder | undefined
}

/**
 * Returns a function that defines a test in a browser. The tests of one call share a server, which starts with the first of them. In all
 * variants, each has a server of its own, and so finds the data as the project seeds them.
 *
 * A test fails on a violation of the content security policy, on an error in the console or of a script, on an unexpected response of 400
 * and above, and if axe finds a serious or critical problem at its end.
 */
export function browserSite({
  project,
  fixture = 'blog',
  withFiles = false,
  keepsData = false,
  args = [],
  env = {},
  path = '/admin',
}: SiteOptions = {}) {
  const sites = new Map<string, Promise<StartedSite>>()
  const start = async (): Promise<StartedSite> => {
    const copy = project === undefined ? await copyFixture(fixture, { withFiles }) : undefined
    const folder = project ?? copy?.path ?? ''
    const data = ['--project', folder, ...(keepsData ? [] : ['--ephemeral'])]
    const serving = startServer([...data, '--no-rate-limit', ...args], { env })
    const [server, browser] = await Promise.all([serving, sharedBrowser()])
    return { server, folder, copy, contexts: new SharedContexts(browser, server.address) }
  }
  const siteOf = (variant: Variant) => {
    const key = process.env.ADMIN_TEST_VARIANTS === 'all' ? `${variant.scheme} ${variant.width}` : ''
    const site = sites.get(key) ?? start()
    sites.set(key, site)
    return site
  }
  after(async () => {
    for (const { server, copy, contexts } of await Promise.all(sites.values())) {
      await contexts.close()
      await server.stop()
      await copy?.remove()
    }
  })

  return (
    name: string,
    { as = ACCOUNTS.superuser, at = '/', allows = [], widths = WIDTHS }: BrowserTestOptions,
    body: (situation: BrowserSituation) => Promise<void>,
  ) => {
    for (const variant of variantsOf(name, widths)) {
      test(`${name} (${variant.scheme}, ${variant.width} px)`, { skip: WITHOUT_CHROMIUM }, async () => {
        const { server, folder, contexts } = await siteOf(variant)
        const context = await contexts.of(variant.width === 360)
        try {
          if (as !== null) await logIn(context, server.address + (env.ADMIN_BASE_PATH ?? ''), as)
          const page = await openPage(context, variant, as !== null)
          const faults = watchFaults(page, allows)
          const checkAccess = () => assertAccessible(page)
          await page.goto(path + at)
          await body({ page, context, server, variant, path, folder, checkAccess })
          await checkAccess()
          await assertNoToken(page)
          assert.deepEqual(faults, [])
        } finally {
          await contexts.clear(context)
        }
      })
    }
  }
}

/** Time limit of each wait, in milliseconds: enough for a machine that does much else. A wait that succeeds takes none of it. */
const TIMEOUT = 60_000

/** Opens the page of a test, without animations; what a former test has stored is removed before the first script runs. */
async function openPage(context: BrowserContext, { scheme, width }: Variant, isLoggedIn: boolean): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT)
  await page.setViewportSize({ width, height: 900 })
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  await page.addInitScript({ content: isLoggedIn ? CLEAN + LOGIN_HINT + WATCH : CLEAN + WATCH })
  return page
}

/** Runs in the first document of a test only, since a test may log out, choose a theme, or reload. */
const once = (name: string, script: string) => `if (!sessionStorage.${name}) { sessionStorage.${name} = 'true'; ${script} }\n`

const CLEAN = once('wasCleaned', 'localStorage.clear()')

/** Not every violation of the policy is written to the console. */
const WATCH = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + [event.violatedDirective, event.blockedURI, event.sample].join(' ')))`

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

interface AxeFinding {
  readonly id: string
  readonly nodes: readonly string[]
}

/**
 * What keeps the page from rest: a former state that is shown until an answer arrives, or an animation. Both reduce the contrast. What is
 * behind a modal dialog may wait for it; a popup that is not modal leaves the rest of the page in use.
 */
const MOVING = `[
  ...[...document.querySelectorAll('[aria-busy=true], .skeleton')].filter((each) => !each.closest('[inert], [aria-hidden=true]')).map((each) => 'busy: ' + each.outerHTML.slice(0, 200)),
  ...[...document.querySelectorAll('[data-starting-style], [data-ending-style]')].map((each) => 'opening or closing: ' + each.outerHTML.slice(0, 200)),
  ...document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getTiming().iterations !== Infinity)
    .map((each) => 'moving: ' + each.effect.target?.outerHTML.slice(0, 200)),
]`

/** Waits until the page shows its final state. Fails with what is busy or moves when the time limit is over. */
async function comeToRest(page: Page): Promise<void> {
  const end = performance.now() + TIMEOUT
  for (;;) {
    const moving = (await page.evaluate(MOVING)) as string[]
    if (moving.length === 0) return
    if (performance.now() > end) assert.fail(`The page does not come to rest:\n${moving.join('\n')}`)
    await page.waitForTimeout(20)
  }
}

/** Rules of axe whose findings are moderate at most, which no test fails for. They take a quarter of its time. */
const MODERATE_RULES = [
  ...['aria-allowed-role', 'empty-heading', 'empty-table-header', 'heading-order', 'image-redundant-alt', 'meta-viewport-large'],
  ...['landmark-banner-is-top-level', 'landmark-contentinfo-is-top-level', 'landmark-main-is-top-level'],
  ...['landmark-no-duplicate-banner', 'landmark-no-duplicate-contentinfo', 'landmark-no-duplicate-main'],
  ...['landmark-one-main', 'landmark-unique', 'page-has-heading-one', 'presentation-role-conflict'],
  ...['region', 'scope-attr-valid', 'skip-link'],
]

const AXE_OPTIONS = {
  ...{ resultTypes: ['violations'], iframes: false, preload: false },
  rules: Object.fromEntries(MODERATE_RULES.map((id) => [id, { enabled: false }])),
}

const AXE_RUN = `axe.run(${JSON.stringify(AXE_OPTIONS)})`

/** The debugger's protocol evaluates axe, since the policy of the page would refuse it as a script. */
async function assertAccessible(page: Page): Promise<void> {
  await comeToRest(page)
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const results = (await page.evaluate(
    `${AXE_RUN}.then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary) })))`,
  )) as readonly AxeFinding[]
  assert.deepEqual(
    results.map(({ id, nodes }) => `${id}: ${nodes.join(' | ')}`),
    [],
    'axe',
  )
}

/** The access token stays in the memory of the page: neither a storage nor a cookie that scripts can read holds one. */
async function assertNoToken(page: Page): Promise<void> {
  if (page.isClosed()) return
  const stored = (await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')) as string
  assert.doesNotMatch(stored, /eyJ[\w-]+\.|token/i, 'a token in a storage of the page')
}
