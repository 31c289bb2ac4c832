import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { answerLeaving, stayAfter, stayAfterReload } from '../../helpers/browser-leaving.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const inClinic = browserSite({ fixture: 'clinic' })

const RECEPTION = { username: 'g.adeyemi', password: 'front-desk-morning-26' }

const WIDER_THAN_ITS_PLACE =
  "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.rows-scroll'))"

const table = (page: Page) => page.locator('[data-related="invoiceline.invoice_id"]')

/** Types into the inputs of a row from where the focus is, with Tab between them. */
async function typeRow(page: Page, values: readonly string[]): Promise<void> {
  for (const [index, value] of values.entries()) {
    if (index > 0) await page.keyboard.press('Tab')
    if (value !== '') await page.keyboard.type(value)
  }
}

inClinic(
  'by keyboard alone: an invoice with three lines is created in one save, after the server has refused the second line',
  { as: RECEPTION, at: '/models/invoice/new', allows: ['400 /batch'] },
  async ({ page, server, variant, checkAccess }) => {
    const number = `2026-7${WIDTH[variant.width]}${variant.scheme === 'dark' ? 1 : 0}1`
    const { keyboard } = page
    await page.getByLabel('Invoice number').focus()
    await keyboard.type(number)
    await page.getByLabel('Patient').focus()
    for (const text of ['Doyle', 'Yusuf']) {
      await keyboard.press('Enter')
      await page.getByRole('option').first().waitFor()
      await keyboard.type(text)
      await page
        .getByRole('option', { name: new RegExp(text) })
        .first()
        .waitFor()
      await page
        .locator('[role=option]')
        .nth(1)
        .waitFor({ state: 'detached' })
        .catch(() => {})
      await keyboard.press('Enter')
      await page.getByRole('option').first().waitFor({ state: 'detached' })
      await page.getByLabel('Treated by').focus()
    }
    await page.getByRole('button', { name: 'Add invoice line' }).focus()
    await keyboard.press('Enter')
    await page.getByLabel('Service code, row 1').and(page.locator(':focus')).waitFor()
    await typeRow(page, ['GP20', 'Consultation', '1', '55', '', '55'])
    await keyboard.press('Enter')
    await page
      .getByLabel('Net amount, row 2')
      .and(page.locator(':focus'))
      .or(page.getByLabel('Service code, row 2').and(page.locator(':focus')))
      .waitFor()
    await typeRow(page, ['CE01', 'Certificate', '2', '12.20', '', '12.20'])
    await keyboard.press('Enter')
    await page.getByLabel('Service code, row 3').and(page.locator(':focus')).waitFor()
    await typeRow(page, ['LB02', 'Rapid test', '1', '12.75', '', '12.75'])
    await checkAccess()
    await keyboard.press('Control+Enter')

    // The server refuses the net amount of the second line, which gets the focus.
    const faulty = page.getByLabel('Net amount, row 2')
    await faulty.and(page.locator(':focus')).waitFor()
    await table(page).getByText('The net amount is the quantity times the unit price').waitFor()
    await page.getByText('Lines 2: The net amount').waitFor()
    await page.getByText('One field needs your attention.').waitFor()
    await checkAccess()
    await keyboard.press('Control+a')
    await keyboard.type('24.40')
    await keyboard.press('Control+Enter')
    await page.waitForURL(/\/models\/invoice\/\d+$/)
    await page.getByRole('heading', { level: 1, name: number }).waitFor()

    const api = await apiOf(server, { username: 'admin', password: 'alder-lane-admin-26' })
    const id = Number(page.url().split('/').at(-1))
    const { data: lines } = await api.model('invoiceline').list({ filters: [`invoice_id=${id}`], sort: ['position'] })
    assert.deepEqual(
      lines.map(({ position, code, net_amount }) => [position, code, net_amount]),
      [
        [1, 'GP20', '55'],
        [2, 'CE01', '24.4'],
        [3, 'LB02', '12.75'],
      ],
    )
    const { data: invoice } = await api.model('invoice').read(id)
    assert.equal(invoice.net_amount, '92.15')
    await assertBecomes(() => table(page).locator('tbody [data-row]').count(), 3)
    await assertBecomes(() => table(page).locator('tfoot').getByText('92.15').count(), 1)
  },
)

const ADMIN = { username: 'admin', password: 'alder-lane-admin-26' }

type Server = Parameters<typeof apiOf>[0]

/** Creates a draft of an invoice with three lines. */
async function draftInvoice(server: Server, number: string): Promise<{ readonly id: number; readonly lines: readonly number[] }> {
  const api = await apiOf(server, ADMIN)
  const given = { code: 'GP20', quantity: '1', unit_price: '10', net_amount: '10', invoice_id: { $ref: 'invoice' } }
  const lines = [1, 2, 3].map((position) => ({
    method: 'create' as const,
    model: 'invoiceline',
    data: { ...given, position, description: `Line ${position}` },
  }))
  const invoice = { method: 'create' as const, model: 'invoice', ref: 'invoice', data: { number, patient_id: 1, doctor_id: 1 } }
  const { data } = await api.batch([invoice, ...lines])
  const [id = 0, ...rest] = (data as readonly { readonly id: number }[]).map((each) => each.id)
  return { id, lines: rest }
}

const linesOf = async (server: Server, id: number) => {
  const api = await apiOf(server, ADMIN)
  const { data } = await api.model('invoiceline').list({ filters: [`invoice_id=${id}`], sort: ['position'] })
  return data.map(({ position, description }) => [position, description])
}

inClinic(
  'lines are edited, removed, kept, moved and added in one save; one that somebody else has changed is asked about; a copy has them too',
  { as: RECEPTION, at: '/account', allows: ['400 /batch'] },
  async ({ page, server, path, variant, checkAccess }) => {
    const number = `2026-6${WIDTH[variant.width]}${variant.scheme === 'dark' ? 1 : 0}1`
    const { id, lines } = await draftInvoice(server, number)
    await page.goto(`${path}/models/invoice/${id}`)
    const rows = table(page).locator('tbody [data-row]')
    await assertBecomes(() => rows.count(), 3)
    const status = page.locator('.record-header').getByRole('status')
    await assertBecomes(() => status.innerText(), '')

    // Only the row that is edited has inputs.
    assert.equal(await table(page).locator('input').count(), 0)
    await rows.nth(0).locator('[data-column=description]').click()
    await page.getByLabel('Description, row 1').fill('Changed here')
    await assertBecomes(() => status.innerText(), 'Unsaved')
    await table(page).getByRole('button', { name: 'Remove row 2' }).click()
    await table(page).getByRole('button', { name: 'Keep row 2' }).click()
    await table(page).getByRole('button', { name: 'Remove row 2' }).click()
    await table(page).locator('tfoot').getByText('20.00').last().waitFor()
    await table(page).getByRole('button', { name: 'Add invoice line' }).click()
    await page.getByLabel('Service code, row 4').fill('CE01')
    await page.getByLabel('Description, row 4').fill('Added here')
    await page.getByLabel('Unit price, row 4').fill('5')
    await page.getByLabel('Net amount, row 4').fill('5')
    // It goes before the third line.
    await page.getByLabel('Net amount, row 4').press('Alt+ArrowUp')
    await page.getByLabel('Net amount, row 3').waitFor()
    await checkAccess()

    const api = await apiOf(server, ADMIN)
    await api.model('invoiceline').update(lines[0] ?? 0, { description: 'Changed elsewhere' })
    await table(page).getByText('This row has been changed elsewhere.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const fault = page.getByRole('button', { name: 'Lines 1: This row has been changed elsewhere.', exact: true })
    await fault.waitFor()
    assert.equal(await table(page).locator('.field-errors').count(), 0)
    assert.deepEqual(await linesOf(server, id), [
      [1, 'Changed elsewhere'],
      [2, 'Line 2'],
      [3, 'Line 3'],
    ])
    await checkAccess()
    await table(page).getByRole('button', { name: 'Keep mine' }).click()
    await fault.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await assertBecomes(() => status.innerText(), '')
    const expected = [
      [1, 'Changed here'],
      [3, 'Added here'],
      [4, 'Line 3'],
    ]
    assert.deepEqual(await linesOf(server, id), expected)
    await assertBecomes(() => rows.count(), 3)
    assert.match(await rows.nth(1).innerText(), /Added here/)

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate with rows' }).click()
    await page.waitForURL(/\/new\?copy=/)
    await assertBecomes(() => rows.count(), 3)
    await page.getByLabel('Invoice number').fill(number.replace('2026-6', '2026-5'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL((url) => /invoice\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${id}`))
    const copy = Number(page.url().split('/').at(-1))
    assert.deepEqual(await linesOf(server, copy), expected)
    const { data } = await api.model('invoice').read(copy)
    assert.equal(data.net_amount, '25')
  },
)

inClinic(
  'a copy whose rows cannot be read is not saved without them, and says so above the form with a way to try again',
  { as: RECEPTION, at: '/models/invoice', allows: ['500 /models/invoiceline'] },
  async ({ page, path, variant, checkAccess }) => {
    let isDown = true
    await page.route('**/api/v1/models/invoiceline?*', (route) =>
      isDown ? route.fulfill({ status: 500, contentType: 'application/json', body: '{}' }) : route.continue(),
    )
    await page.goto(`${path}/models/invoice/new?copy=2&rows=true`)
    await table(page).or(page.locator('.record-form .notice')).first().waitFor()
    await page.getByLabel('Invoice number').fill('2026-4999')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const problems = page.locator('.form-problems')
    await problems.and(page.locator(':focus')).waitFor()
    assert.match(await problems.innerText(), /^Lines: /m)
    await checkAccess()
    isDown = false
    await problems.getByRole('button', { name: 'Try again' }).click()
    await assertBecomes(() => table(page).locator('tbody [data-row]').count(), 4)
    assert.equal(await problems.count(), 0)
    // On a tablet the columns have room beside the buttons, also while a row has inputs.
    await table(page).locator('[data-row] [data-column=description]').nth(1).click()
    await page.getByLabel('Description, row 2').waitFor()
    if (variant.width >= 768) assert.equal(await page.evaluate(WIDER_THAN_ITS_PLACE), 0)
    assert.equal(await page.getByLabel('Invoice number').inputValue(), '2026-4999')
  },
)

inClinic(
  'lines of an invoice that was sent are only read: no inputs, no buttons',
  { as: RECEPTION, at: '/models/invoice/2' },
  async ({ page }) => {
    await assertBecomes(() => table(page).locator('tbody [data-row]').count(), 4)
    assert.equal(await table(page).getByRole('button').count(), 0)
    await table(page).locator('[data-row] [data-column=description]').first().click()
    assert.equal(await table(page).locator('input').count(), 0)
  },
)

inClinic(
  'who may not view lines sees none, and no request is refused',
  { as: { username: 'a.yusuf', password: 'stethoscope-blue-26' }, at: '/models/invoice/2' },
  async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: '2026-0402' }).waitFor()
    await page.locator('[data-field=total_amount]').waitFor()
    assert.equal(await table(page).count(), 0)
  },
)

/** A shop in which a clerk may change the lines of orders, but neither the orders nor which lines there are. */
const shop = await makeProject({
  'models/shop.yaml': `- { name: Order, display_field: code, fields: [{ name: code, type: string, required: true }] }
- name: Line
  display_field: item
  fields:
    - { name: order_id, type: foreignkey, model: order, required: true, on_delete: cascade }
    - { name: item, type: string, required: true }
    - { name: note, type: text }
`,
  'views/shop.yaml': `- name: OrderForm
  view_type: form
  model: Order
  fields: [{ name: code, title: Code }]
  related: [{ field: line.order_id, columns: [item], form: LineForm }]
- { name: LineForm, view_type: form, model: Line, fields: [{ name: order_id, title: Order }, { name: item, title: Item }, { name: note, title: Note }] }
`,
  'roles/clerks.yaml': 'name: Clerks\npermissions: [view_order, view_line, change_line]\n',
  'seed/user.yaml': `- { username: admin, password: shop-admin-2026, email: admin@example.org, is_superuser: true }
- { username: clerk, password: shop-clerk-2026, email: clerk@example.org, groups: [1] }
`,
  'seed/order.yaml': '- { code: A1 }\n',
  'seed/line.yaml': '- { order_id: 1, item: Rope }\n',
})
after(() => shop.remove())
const inShop = browserSite({ project: shop.path })

inShop(
  'who may only change lines has no button to add or remove one, and edits all fields of a line at the side',
  { as: { username: 'clerk', password: 'shop-clerk-2026' }, at: '/models/order' },
  async ({ page, server, variant, checkAccess }) => {
    await page.getByRole('main').getByRole('link', { name: 'A1' }).click()
    const lines = page.locator('[data-related="line.order_id"]')
    await lines.getByRole('button', { name: 'Edit row 1' }).waitFor()
    assert.deepEqual(await lines.getByRole('button', { name: /Add|Remove/ }).count(), 0)
    await lines.getByRole('button', { name: 'All fields of row 1' }).click()
    const drawer = page.getByRole('dialog', { name: 'Line 1' })
    const note = `Wet, ${variant.scheme} ${variant.width}`
    await drawer.getByLabel('Note').fill('To be given up')
    await drawer.getByRole('button', { name: 'Cancel' }).click()
    await answerLeaving(page, 'Leave')
    await drawer.waitFor({ state: 'detached' })
    await lines.getByRole('button', { name: 'All fields of row 1' }).click()
    // Without edits it closes without a question.
    await drawer.getByRole('button', { name: 'Close' }).click()
    await drawer.waitFor({ state: 'detached' })
    await lines.getByRole('button', { name: 'All fields of row 1' }).click()
    await drawer.getByLabel('Note').fill(note)
    await stayAfter(
      page,
      () => page.keyboard.press('Escape'),
      () => drawer.getByRole('button', { name: 'Close' }).click(),
      () => drawer.getByRole('button', { name: 'Cancel' }).click(),
      () => page.evaluate('history.back()'),
      // On a phone nothing is beside it.
      ...(variant.width > 360 ? [() => page.mouse.click(8, 300)] : []),
    )
    await stayAfterReload(page)
    await assertBecomes(() => drawer.getByLabel('Note').inputValue(), note)
    await checkAccess()
    await drawer.getByRole('button', { name: 'Apply' }).click()
    await drawer.waitFor({ state: 'detached' })
    await page.locator('.record-header').getByText('Unsaved').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.record-header').getByText('Unsaved').waitFor({ state: 'detached' })
    const api = await apiOf(server, { username: 'admin', password: 'shop-admin-2026' })
    const { data } = await api.model('line').read(1)
    assert.deepEqual([data.item, data.note], ['Rope', note])
  },
)

/** Orders with more lines than the form shows: three of order 1, more than a copy has of order 2. */
const stock = await makeProject({
  'models/stock.yaml': `- { name: Order, display_field: code, fields: [{ name: code, type: string, required: true }] }
- name: Line
  display_field: item
  unique_together: [[order_id, place]]
  fields:
    - { name: order_id, type: foreignkey, model: order, required: true, on_delete: cascade }
    - { name: place, type: integer, required: true }
    - { name: item, type: string, required: true }
    - { name: pieces, type: integer }
`,
  'views/stock.yaml': `- name: OrderForm
  view_type: form
  model: Order
  fields: [{ name: code, title: Code }]
  related: [{ field: line.order_id, columns: [place, item, pieces], sort: [{ field: place, order: asc }], limit: 2 }]
`,
  'seed/user.yaml': '- { username: admin, password: stock-admin-2026, email: admin@example.org, is_superuser: true }\n',
  'seed/order.yaml': '- { code: A1 }\n- { code: A2 }\n- { code: A3 }\n',
  'seed/line.yaml': [3, 501]
    .flatMap((count, order) => Array.from({ length: count }, (_, at) => [order + 1, at + 1]))
    .map(([order, place]) => `- { order_id: ${order}, place: ${place}, item: Item ${place}, pieces: 5 }\n`)
    .join(''),
})
after(() => stock.remove())
const inStock = browserSite({ project: stock.path })

inStock(
  'a form with more lines than it shows adds one after all of them; a copy has all, and says which are left out',
  { as: { username: 'admin', password: 'stock-admin-2026' }, at: '/models/order/1' },
  async ({ page, path }) => {
    const lines = page.locator('[data-related="line.order_id"]')
    await lines.getByText('Sum of the rows shown').waitFor()
    await lines.getByRole('button', { name: 'Add line' }).click()
    await page.getByLabel('Item, row 3').fill('Added')
    assert.equal(await page.getByLabel('Place, row 3').inputValue(), '4')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await lines.getByText('The first 2 of 4 are shown.').waitFor()
    await page.goto(`${path}/models/order/new?copy=1&rows=true`)
    await assertBecomes(() => lines.locator('tbody [data-row]').count(), 4)
    assert.equal(await lines.locator('.rows-more').count(), 0)
    await page.goto(`${path}/models/order/new?copy=2&rows=true`)
    await lines.getByText('Only the first 500 of 501 are copied.').waitFor()
  },
)

inStock(
  'the focus stays at a row that is stored, and at those that are asked about',
  { as: { username: 'admin', password: 'stock-admin-2026' }, at: '/models/order/3' },
  async ({ page, server }) => {
    const lines = page.locator('[data-related="line.order_id"]')
    const unsaved = page.locator('.record-header').getByText('Unsaved')
    const focused = page.locator(':focus')
    await lines.getByRole('button', { name: 'Add line' }).click()
    const item = page.getByLabel('Item, row 1')
    await item.fill('Rope')
    await item.press('Control+s')
    await unsaved.waitFor({ state: 'detached' })
    await lines.locator('[data-row]:not([data-row^="+"])').waitFor()
    await item.and(focused).waitFor({ timeout: 5000 })
    await item.fill('Mine')
    const api = await apiOf(server, { username: 'admin', password: 'stock-admin-2026' })
    const [line] = (await api.model('line').list({ filters: ['order_id=3'] })).data
    await api.model('line').update(Number(line?.id), { item: 'Theirs' })
    await lines.getByRole('button', { name: 'Keep mine' }).click()
    await lines.locator('[data-row]').locator(focused).waitFor({ timeout: 5000 })
    await api.model('line').delete(Number(line?.id))
    await lines.getByRole('button', { name: 'Drop it' }).click()
    await lines.getByRole('button', { name: 'Add line' }).and(focused).waitFor({ timeout: 5000 })
  },
)

const WIDTH = { 360: 1, 768: 2, 1280: 3 } as const
