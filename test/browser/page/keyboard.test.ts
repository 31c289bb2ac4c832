import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { ACCOUNTS, browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { typeSearch } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()
const inClinic = browserSite({ fixture: 'clinic' })

const CLINIC = { username: 'admin', password: 'alder-lane-admin-26' }

/** A keyboard that counts its keys; those of typed text apart. */
class Keyboard {
  readonly #page: Page
  presses = 0
  letters = 0

  constructor(page: Page) {
    this.#page = page
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#page.keyboard.press(key)
      this.presses++
    }
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text)
    this.letters += text.length
  }

  /** Types into the search of a popup that opens. */
  async search(text: string): Promise<void> {
    await typeSearch(this.#page, text)
    this.letters += text.length
  }

  /** Presses Tab until an input of the field has the focus. */
  async tabTo(field: string): Promise<void> {
    for (let count = 0; count < 12; count++) {
      await this.press('Tab')
      if ((await focusedField(this.#page)) === field) return
    }
    assert.fail(`Tab does not reach ${field}`)
  }

  /** Chooses the first option that a search in the popup of the focused input finds. The focus then returns to the input. */
  async choose(search: string, option: string): Promise<void> {
    await this.search(search)
    await this.#page.getByRole('option', { name: option, exact: true }).and(this.#page.locator('[data-highlighted]')).waitFor()
    await this.press('Enter')
  }
}

/** A phone does not give the focus to an input by itself; `touch.test.ts` does the same on one. */
const DESKS = [768, 1280] as const

const focusedField = (page: Page) => page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field ?? null")

const focusIs = async (page: Page, field: string): Promise<void> => {
  await page.locator(`[data-field=${field}]:focus-within`).waitFor()
}

inBrowser(
  'by keyboard alone: log in, create a post with author, category and three tags, mend a fault, save, find it, delete it',
  { as: null, allows: ['400 /models/post'], widths: DESKS },
  async ({ page, server, checkAccess }) => {
    const keys = new Keyboard(page)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await keys.type(ACCOUNTS.superuser.username)
    await keys.press('Tab')
    await keys.type(ACCOUNTS.superuser.password)
    await keys.press('Enter')
    await page.getByRole('button', { name: 'Search or jump to…' }).waitFor()
    const login = keys.presses

    await keys.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await keys.choose('new post', 'New Post')
    await focusIs(page, 'title')
    await keys.type('A lamp for the north pier')
    await keys.press('Tab')
    await keys.type('A lamp')
    await keys.tabTo('summary')
    await keys.tabTo('body')
    await keys.type('It was lit on Friday.')
    await keys.tabTo('status')
    for (const field of ['is_featured', 'event_date', 'publish_time', 'languages', 'author_id']) await keys.tabTo(field)
    await keys.press('Enter')
    await keys.choose('anna', 'anna.lind')
    await focusIs(page, 'author_id')
    await keys.tabTo('category_id')
    await keys.press('Enter')
    await keys.choose('food', 'Food & Recipes')
    await focusIs(page, 'category_id')
    await keys.tabTo('tags')
    await keys.press('Enter')
    for (const [search, tag] of [
      ['lig', 'Lighthouse'],
      ['fer', 'Ferries'],
      ['sai', 'Sailing'],
    ] as const) {
      await keys.choose(search, tag)
      await page.getByRole('button', { name: `Remove ${tag}` }).waitFor({ state: 'attached' })
    }
    await keys.press('Escape', 'Control+Enter')

    await page.locator('.field-errors').getByText('slug format is invalid').waitFor()
    await focusIs(page, 'slug')
    await checkAccess()
    await keys.press('Control+a')
    await keys.type('a-lamp')
    await keys.press('Control+Enter')
    await page.getByRole('heading', { name: 'A lamp for the north pier' }).waitFor()
    const id = Number(page.url().split('/').at(-1))
    const posts = (await apiOf(server)).model('post')
    const { data } = await posts.read(id)
    const tags = (data.tags as { name: string }[]).map(({ name }) => name).sort()
    assert.deepEqual([data.author_id, data.category_id, tags], [3, 4, ['Ferries', 'Lighthouse', 'Sailing']])
    const created = keys.presses

    await keys.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await keys.choose('dashboard', 'Dashboard')
    await page.waitForURL('**/admin/')
    await keys.press('Control+k')
    await page.getByRole('dialog', { name: 'Search or jump' }).waitFor()
    await keys.search('north pier')
    const hit = page.getByRole('option', { name: /A lamp for the north pier/ })
    await hit.and(page.locator('[data-highlighted]')).waitFor()
    await keys.press('Enter')
    await page.getByRole('heading', { name: 'A lamp for the north pier' }).waitFor()
    const found = keys.presses

    for (let count = 0; count < 12 && !(await isFocused(page, 'More actions')); count++) await keys.press('Tab')
    await keys.press('Enter')
    await page.getByRole('menuitem', { name: 'Duplicate' }).and(page.locator(':focus')).waitFor()
    await keys.press('ArrowUp')
    await page.getByRole('menuitem', { name: 'Delete' }).and(page.locator(':focus')).waitFor()
    await keys.press('Enter')
    await page.getByRole('dialog').getByText('No other records are affected.').waitFor()
    // The focus is on the action that changes nothing.
    await page.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
    await keys.press('Tab', 'Enter')
    await page.getByText('Deleted', { exact: true }).waitFor()
    await assert.rejects(posts.read(id), { type: 'not_found' })

    const { presses, letters } = keys
    const parts = `log in ${login}, create ${created - login}, find ${found - created}, delete ${presses - found}`
    console.log(`${presses} key presses (${parts}), and ${letters} letters of text`)
    assert.ok(presses <= 70, `${presses} key presses: ${parts}`)
  },
)

const isFocused = (page: Page, text: string) =>
  page.evaluate(
    `(document.activeElement.ariaLabel ?? document.activeElement.textContent) === '${text}' && document.activeElement.tagName === 'BUTTON'`,
  )

inBrowser('Enter in a picker waits for the answer to the search', { at: '/models/post/8' }, async ({ page }) => {
  await page.route(/\/models\/tag\/search/, async (route) => {
    await page.getByRole('combobox', { name: 'Search' }).press('Enter')
    await route.continue()
  })
  await page.getByLabel('Tags').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Ferries', exact: true }).waitFor()
  await typeSearch(page, 'Storm')
  await page.getByRole('option', { name: 'Storms', exact: true }).and(page.locator('[data-highlighted]')).waitFor()
  await page.keyboard.press('Enter')
  await page
    .getByRole('button', { name: /^Remove/ })
    .nth(0)
    .waitFor({ state: 'attached' })
  const removable = await page.locator('[data-field=tags] .chip').allTextContents()
  assert.equal(removable.includes('Ferries'), false)
})

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 150; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  assert.fail('Tab does not reach the element')
}

inClinic(
  'by keyboard alone: an invoice is duplicated with its lines; a deleted patient is found in the history and restored',
  { as: CLINIC, at: '/models/invoice/80' },
  async ({ page, server, variant }) => {
    const api = await apiOf(server, CLINIC)
    const { keyboard } = page
    const suffix = `${variant.scheme === 'dark' ? 1 : 0}${{ 360: 111, 768: 222, 1280: 333 }[variant.width]}`
    const lines = page.locator('[data-related="invoiceline.invoice_id"] tbody [data-row]')
    await lines.nth(1).waitFor()
    const menu = page.getByRole('button', { name: 'More actions' })
    await tabTo(page, menu)
    await keyboard.press('Enter')
    const copy = page.getByRole('menuitem', { name: 'Duplicate with rows' })
    await copy.waitFor()
    for (let presses = 0; presses < 8 && !(await copy.and(page.locator(':focus')).isVisible()); presses++)
      await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.waitForURL(/invoice\/new/)
    await lines.nth(1).waitFor()
    await tabTo(page, page.getByLabel('Invoice number'))
    await keyboard.type(`2026-${suffix}`)
    await keyboard.press('Control+Enter')
    await page.waitForURL(/invoice\/(?!80$)\d+$/)
    const id = Number(page.url().split('/').at(-1))
    assert.equal((await api.model('invoiceline').list({ filters: [`invoice_id=${id}`] })).total, 2)

    const patient = {
      number: `P-9${suffix}`,
      name: `Vane, Ada ${suffix}`,
      date_of_birth: '1990-01-02',
      sex: 'female',
      phone: '555-0100',
    }
    const { data: made } = await api.model('patient').create(patient)
    await api.model('patient').delete(Number(made.id))
    await keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').and(page.locator(':focus')).waitFor()
    await keyboard.type('History')
    await page.getByRole('dialog').getByRole('option', { name: 'History', exact: true }).waitFor()
    await keyboard.press('Enter')
    await page.waitForURL(/\/history/)
    await tabTo(page, page.getByRole('row').filter({ hasText: patient.name }).getByRole('button', { name: 'Restore' }).first())
    await keyboard.press('Enter')
    await page.getByText('Restored', { exact: true }).first().waitFor()
    assert.equal((await api.model('patient').read(Number(made.id))).data.name, patient.name)
  },
)

inBrowser(
  'a control that its own press takes away passes the focus on: in a list, its menus and its selection, and in a form',
  { at: '/models/post?filter=status=draft&filter=rating__gte=1&sort=title', widths: [1280] },
  async ({ page, path }) => {
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
    const press = async (control: Locator) => {
      await control.focus()
      await page.keyboard.press('Enter')
    }
    const hasFocus = (control: Locator) => control.and(page.locator(':focus')).waitFor({ timeout: 5000 })

    await press(button('Sort as in the view'))
    await hasFocus(button('Clear all'))
    await page.keyboard.press('Enter')
    await button('Clear all').waitFor({ state: 'detached' })
    await hasFocus(button('Filter'))

    await press(button('Columns'))
    const columns = page.locator('.column-list')
    for (const isTicked of [true, false]) {
      const item = columns.locator('li').filter({ has: page.locator(`input${isTicked ? ':checked' : ':not(:checked)'}`) })
      const label = String(await item.nth(1).locator('label').textContent())
      const box = columns.getByLabel(label, { exact: true })
      for (const next of [!isTicked, isTicked]) {
        await box.focus()
        await page.keyboard.press('Space')
        await columns
          .locator(`input${next ? ':checked' : ':not(:checked)'}`)
          .and(box)
          .waitFor()
        await hasFocus(box)
      }
    }
    await page.keyboard.press('Escape')

    await page.getByLabel('Select all on this page').check()
    await press(button('Select all 46 matches'))
    await hasFocus(button('Clear selection'))
    await page.keyboard.press('Enter')
    await button('Clear selection').waitFor({ state: 'detached' })
    await hasFocus(page.locator('#content'))

    await page.goto(`${path}/models/post?filter=title=none`)
    await press(button('Clear all'))
    await page.getByLabel('Select all on this page').waitFor()
    await hasFocus(page.locator('#content'))

    await page.goto(`${path}/models/post/8`)
    const tags = page.locator('[data-field=tags]')
    const removeTag = tags.getByRole('button', { name: /^Remove / })
    await removeTag.first().focus()
    for (let left = await removeTag.count(); left > 0; left--) {
      await hasFocus(removeTag)
      await page.keyboard.press('Enter')
      await tags
        .locator('.chip')
        .nth(left - 1)
        .waitFor({ state: 'detached' })
    }
    await hasFocus(page.getByLabel('Tags'))
    await press(page.locator('[data-field=category_id]').getByRole('button', { name: /^Remove / }))
    await hasFocus(page.getByLabel('Category'))
  },
)
