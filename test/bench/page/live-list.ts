import type { Browser } from 'playwright-core'
import { createClient } from '../../../src/client/client.ts'
import { median } from '../results/figures.ts'
import { type BenchSite, withPage } from './browser.ts'

const RUNS = 5

/** Milliseconds between two writes. The page collects changes that follow each other, which is not measured. */
const REST = 2500

/** The median of the milliseconds from the response to a write over the API until an open list of `fixtures/blog` shows it. */
export function liveListTime(browser: Browser, site: BenchSite): Promise<number> {
  return withPage(browser, site, async (page) => {
    const client = createClient({ url: site.address })
    await client.login(site.account.username, site.account.password)
    const streaming = page.waitForResponse((response) => response.url().includes('/events'))
    await page.goto('/admin/models/tag?sort=id')
    await page.locator('tbody tr').first().waitFor()
    await streaming
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) {
      await page.waitForTimeout(REST)
      const name = `Renamed ${run}`
      // Both processes read the same clock.
      const shown = page.evaluate(`(async () => {
        const end = Date.now() + 20000
        while (!document.querySelector('tbody').textContent.includes(${JSON.stringify(name)})) {
          if (Date.now() > end) throw new Error('The list never showed the change')
          await new Promise(requestAnimationFrame)
        }
        return Date.now()
      })()`) as Promise<number>
      await client.model('tag').update(1, { name })
      const acknowledged = Date.now()
      times.push((await shown) - acknowledged)
    }
    return median(times)
  })
}
