import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { typeSearch } from '../../helpers/browser-typing.ts'
import { SMALL_TARGETS } from '../../helpers/small-targets.ts'
import { inputOf } from '../../helpers/widget-fields.ts'

const inBrowser = browserSite()

inBrowser(
  'by touch on a phone: log in, create a post with author, category and three tags, mend a fault, save, find it, delete it',
  { as: null, allows: ['400 /models/post'], widths: [360] },
  async ({ page, server, checkAccess }) => {
    await page.setViewportSize({ width: 360, height: 740 })
    const checkTargets = async () => assert.deepEqual(await page.evaluate(SMALL_TARGETS), [])
    let taps = 0
    const tap = async (target: Locator) => {
      await target.tap()
      taps++
    }
    const typeInto = async (label: string, text: string) => {
      await tap(inputOf(page, label))
      await page.keyboard.type(text)
    }
    const choose = async (label: string, options: readonly string[]) => {
      await tap(inputOf(page, label))
      for (const option of options) await tap(page.getByRole('option', { name: option, exact: true }))
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await typeInto('Username', ACCOUNTS.superuser.username)
    await typeInto('Password', ACCOUNTS.superuser.password)
    await checkTargets()
    await tap(button('Sign in'))
    await tap(button('Open menu'))
    await checkTargets()
    await tap(page.getByRole('dialog').getByRole('link', { name: /^Posts/ }))
    await tap(page.getByRole('main').getByRole('link', { name: 'Add post', exact: true }))
    await page.getByRole('heading', { name: 'New post' }).waitFor()
    await checkTargets()

    await typeInto('Title', 'A lamp for the south pier')
    await typeInto('Slug', 'A lamp')
    await tap(page.getByRole('textbox', { name: 'Text', exact: true }))
    await page.keyboard.type('It was lit on Friday.')
    await choose('Author', ['anna.lind'])
    await choose('Category', ['Food & Recipes'])
    await choose('Tags', ['Lighthouse', 'Ferries', 'Sailing'])
    await checkTargets()
    // A tap beside the popup closes it.
    await page.touchscreen.tap(180, 24)
    await page.getByRole('option', { name: 'Lighthouse' }).waitFor({ state: 'detached' })
    taps++
    await tap(button('Save'))
    await page.locator('.field-errors').getByText('slug format is invalid').waitFor()
    assert.ok(await isInView(inputOf(page, 'Slug')), 'the faulty input is in view')
    await checkAccess()
    await inputOf(page, 'Slug').fill('a-south-lamp')
    await tap(button('Save'))
    await page.getByRole('heading', { name: 'A lamp for the south pier' }).waitFor()
    const id = Number(page.url().split('/').at(-1))
    await checkTargets()

    await tap(button('Search or jump to…'))
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await typeSearch(page, 'south pier')
    await checkTargets()
    await tap(page.getByRole('option', { name: /A lamp for the south pier/ }))
    await page.getByRole('heading', { name: 'A lamp for the south pier' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await tap(button('More actions'))
    await tap(page.getByRole('menuitem', { name: 'Delete' }))
    await page.getByRole('dialog').getByText('No other records are affected.').waitFor()
    await checkTargets()
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Delete' }))
    await page.getByText('Deleted', { exact: true }).waitFor()
    await assert.rejects((await apiOf(server)).model('post').read(id), { type: 'not_found' })
    assert.equal(await isWider(page), false)
    console.log(`${taps} taps`)
  },
)

for (const at of ['/models/post', '/models/comment', '/models/user', '/models/group/1?tab=access'])
  inBrowser(`the targets of ${at} are large enough for a finger`, { at, widths: [360] }, async ({ page }) => {
    await page.getByRole('main').locator('tbody tr').first().waitFor()
    assert.deepEqual(await page.evaluate(SMALL_TARGETS), [])
  })

const isInView = (target: Locator) =>
  target.evaluate((element) => {
    const { top, bottom } = (
      element as unknown as { getBoundingClientRect(): { top: number; bottom: number } }
    ).getBoundingClientRect()
    return top >= 0 && bottom <= 740
  })

const isWider = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth')
