import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'

const inBrowser = browserSite()

const total = (page: Page, count: string) => page.getByRole('status').getByText(count, { exact: true }).waitFor()

const filters = (page: Page) => page.getByRole('region', { name: 'Filters' })

/** The query of the address, as a person reads it. */
const query = (page: Page) => decodeURIComponent(new URL(page.url()).search)

const MADE = 'slug__startswith=made-'

inBrowser(
  '"is empty" finds null and texts without characters; address, chip, editor and export agree',
  { at: '/models/tag' },
  async ({ page, server }) => {
    const categories = (await apiOf(server)).model('category')
    if ((await categories.list({ filters: [MADE] })).total === 0) {
      await categories.create({ name: 'Made none', slug: 'made-none', description: null })
      await categories.create({ name: 'Made empty', slug: 'made-empty', description: '' })
      await categories.create({ name: 'Made filled', slug: 'made-filled', description: 'Boats' })
    }
    const path = new URL(page.url()).pathname.replace('/tag', '/category')
    await page.goto(new URL(`${path}?filter=${encodeURIComponent(MADE)}`, page.url()).href)
    await total(page, '3 records')
    await filters(page).getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Description' }).click()
    await page.getByRole('button', { name: /^Condition/ }).click()
    await page.getByRole('menuitem', { name: 'is empty' }).click()
    await total(page, '2 records')
    assert.equal(query(page), `?filter=${MADE}&filter=description__isnull=true`)

    await page.getByRole('main').locator('.page-header').getByRole('button', { name: 'Export' }).click()
    const started = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV', exact: true }).click()
    const file = await readFile(await (await started).path(), 'utf8')
    assert.ok(file.includes('made-none') && file.includes('made-empty') && !file.includes('made-filled'), file)

    await page.reload()
    await total(page, '2 records')
    await page.getByRole('button', { name: 'Description is empty', exact: true }).click()
    await page.getByRole('button', { name: 'Condition: is empty' }).click()
    await page.getByRole('menuitem', { name: 'is not empty' }).click()
    await total(page, '1 record')
    await page.getByRole('button', { name: 'Description is not empty', exact: true }).waitFor()
    assert.equal(query(page), `?filter=${MADE}&filter=description__isnull=false`)
  },
)
