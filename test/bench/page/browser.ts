import type { Browser, Locator, Page } from 'playwright-core'
import { type Account, LOGIN_HINT, logIn } from '../../helpers/browser-login.ts'

/** A server and an account on it. */
export interface BenchSite {
  readonly address: string
  readonly account: Account
}

/** Longest wait for a state of the page, in milliseconds. */
const TIMEOUT = 20_000

/** JavaScript that waits for a condition, checked in each frame. */
const waitingFor = (condition: string) => `
  while (!(${condition})) {
    if (performance.now() - begin > ${TIMEOUT}) throw new Error(${JSON.stringify(`The page never showed: ${condition}`)})
    await new Promise(requestAnimationFrame)
  }`

/** Runs `work` in a new context, with an empty cache, whose user is logged in. */
export async function withPage<T>(
  browser: Browser,
  { address, account }: BenchSite,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, baseURL: address, locale: 'en-GB' })
  try {
    await logIn(context, address, account)
    await context.addInitScript({ content: LOGIN_HINT })
    const page = await context.newPage()
    page.setDefaultTimeout(TIMEOUT)
    return await work(page)
  } finally {
    await context.close()
  }
}

/** Opens an address. Resolves with the milliseconds from the start of the navigation until a JavaScript condition holds. */
export async function timeOfLoad(page: Page, at: string, condition: string): Promise<number> {
  await page.goto(at, { waitUntil: 'commit' })
  return (await page.evaluate(
    `(async () => { const begin = 0; ${waitingFor(condition)}; return performance.now() })()`,
  )) as number
}

/** Clicks on an element. Resolves with the milliseconds until a JavaScript condition holds. */
export const timeOfClick = (target: Locator, condition: string): Promise<number> => timeOf(target, 'measured.click()', condition)

/** Milliseconds for which a mouse button is held down. People take about 85 ms. */
const PRESS = 60

/** Clicks on a link with the mouse. Resolves with the milliseconds from the end of the press, the click, until a JavaScript condition holds. */
export async function timeOfMouseClick(target: Locator, condition: string): Promise<number> {
  const page = target.page()
  // The promise is no result of the script, for which Playwright would wait.
  await page.evaluate(`globalThis.measured = new Promise((resolve, reject) =>
    addEventListener('click', ({ timeStamp: begin }) => {
      ;(async () => { ${waitingFor(condition)}; return performance.now() - begin })().then(resolve, reject)
    }, { capture: true, once: true })); undefined`)
  await target.click({ delay: PRESS })
  return (await page.evaluate('globalThis.measured')) as number
}

/** Puts a text into an input, as typing does. Resolves with the milliseconds until a JavaScript condition holds. */
export const timeOfInput = (target: Locator, text: string, condition: string): Promise<number> =>
  timeOf(target, `measured.focus(); document.execCommand('insertText', false, ${JSON.stringify(text)})`, condition)

/** Runs an action of JavaScript on an element, `measured`. Resolves with the milliseconds until a condition holds. */
async function timeOf(target: Locator, action: string, condition: string): Promise<number> {
  // Playwright calls functions only, not texts that describe one; a text can read the element from the page.
  await target.evaluate((element) => {
    Object.assign(globalThis, { measured: element })
  })
  return (await target
    .page()
    .evaluate(
      `(async () => { const begin = performance.now(); ${action}; ${waitingFor(condition)}; return performance.now() - begin })()`,
    )) as number
}

/** Slows the page down: a processor of a quarter of the speed, 10 Mbit/s, 40 ms to the server. */
export async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const bytesPerSecond = 10_000_000 / 8
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
}

/** Duration of the longest task of the page's main thread while `work` runs, in milliseconds. */
export async function longestTask(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] })
  await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] }
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && threads.some((each) => each.pid === pid && each.tid === tid),
  )
  if (tasks.length === 0) throw new Error('The trace has no task')
  return Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1000
}

/** An event of a trace of Chromium. Durations are in microseconds. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  readonly args: { readonly name?: string }
}
