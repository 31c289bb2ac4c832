import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** The cumulative layout shift that a page may reach while its data arrives. The Web Vitals call up to 0.1 good. */
const ALLOWED = 0.05

/**
 * JavaScript that runs at the beginning of a document and adds up how its layout shifts. As in the Web Vitals, shifts count together that
 * follow each other within a second, for five seconds at most; those within half a second of an input do not count.
 */
export const WATCH_LAYOUT = `{
  let shifts = []
  globalThis.layoutShift = { sum: 0, shifts }
  const describe = (node) => node?.outerHTML?.slice(0, 120) ?? node?.textContent
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, startTime, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      if (shifts.length > 0 && (startTime - shifts.at(-1).startTime > 1000 || startTime - shifts[0].startTime > 5000)) shifts = []
      shifts.push({ startTime, value, moved: sources.map(({ node }) => describe(node)) })
      const sum = shifts.reduce((total, each) => total + each.value, 0)
      if (sum > layoutShift.sum) layoutShift = { sum, shifts }
    }
  }).observe({ type: 'layout-shift', buffered: true })
}`

/** Fails if the layout of a document has shifted too much since it was opened. @param name names the page in the message */
export async function assertStillLayout(page: Page, name: string): Promise<void> {
  const { sum, shifts } = (await page.evaluate('layoutShift')) as { readonly sum: number; readonly shifts: unknown }
  assert.ok(sum <= ALLOWED, `${name} shifts by ${sum.toFixed(3)}: ${JSON.stringify(shifts)}`)
}
