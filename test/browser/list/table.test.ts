import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite({ fixture: 'clinic' })

/** Accounts of `fixtures/clinic`. */
const ADMIN = { username: 'admin', password: 'alder-lane-admin-26' }
const RECEPTION = { username: 'g.adeyemi', password: 'front-desk-morning-26' }

const rows = (page: Page) => page.locator('tbody tr')

/** The texts of the cells of a column, by its head. */
async function cellsOf(page: Page, head: string): Promise<readonly string[]> {
  const heads = await page.locator('thead th').allInnerTexts()
  const place = heads.findIndex((each) => each.trim().startsWith(head))
  assert.ok(place > 0, `${head} in ${heads}`)
  return page.locator(`tbody tr > :nth-child(${place + 1})`).allInnerTexts()
}

inBrowser(
  'words of a search are marked in cells, long ones at the match, and beside the name where no column shows them',
  { as: ADMIN, at: '/models/appointment?q=kneecap' },
  async ({ page, path, checkAccess }) => {
    const note = rows(page).first().locator('.list-sticky .match-note')
    await note.waitFor()
    assert.match(await note.innerText(), /^Matches Clinical notes: .*kneecap/)
    await assertBecomes(() => note.locator('mark').innerText(), 'kneecap')
    await checkAccess()

    await page.goto(`${path}/models/appointment?q=kneecap&columns=reason,notes`)
    const cell = rows(page).first().locator('td:last-child')
    const mark = cell.locator('mark').first()
    await assertBecomes(() => mark.innerText(), 'kneecap')
    assert.equal(await page.locator('.match-note').count(), 0)
    const [outer, inner] = [await cell.locator('.cell-text').boundingBox(), await mark.boundingBox()]
    assert.ok(outer && inner && inner.x + inner.width <= outer.x + outer.width, 'the match is in sight')

    await page.goto(`${path}/models/appointment?q=cough`)
    const reason = rows(page).first().locator('.list-sticky mark')
    await reason.waitFor()
    await assertBecomes(() => reason.innerText(), 'Cough')
  },
)

inBrowser(
  'numbers that are choices have labels; a view is sorted by fields of related records, and unknown keys of an address are left out',
  { as: ADMIN, at: '/models/appointment?list=DaySheet' },
  async ({ page, path }) => {
    await rows(page).nth(9).waitFor()
    assert.match((await cellsOf(page, 'Minutes'))[0] ?? '', /^\d\d min$|^1 hour$/)
    const doctors = await cellsOf(page, 'Doctor')
    assert.deepEqual(doctors, doctors.toSorted())
    const chip = page.locator('.sort-chip')
    const words = async () => (await chip.innerText()).replace(/\s+/g, ' ').replaceAll(' ,', ',')
    assert.equal(await words(), 'Sorted by Doctor ascending, Time ascending')

    await page.goto(`${path}/models/appointment?sort=nosuch,-reason,reason,doctor.nosuch`)
    await rows(page).first().waitFor()
    assert.equal(await words(), 'Sorted by Reason for visit descending')
    const reasons = await cellsOf(page, 'Reason')
    assert.deepEqual(reasons, reasons.toSorted().toReversed())
  },
)

inBrowser(
  'a filter of an address with an impossible value is ignored, and only a related record is filled into a new one',
  {
    as: ADMIN,
    at: '/models/appointment?filter=starts_at__gte=abc&filter=doctor_id=1&filter=status=booked&filter=starts_at__lt=2026-12-31',
  },
  async ({ page }) => {
    await rows(page).first().waitFor()
    await page.getByText('Ignored: starts_at__gte=abc').waitFor()
    const href = await page.getByRole('link', { name: 'Add appointment' }).getAttribute('href')
    assert.equal(new URL(href ?? '', page.url()).search, '?fill=doctor_id%3D1')
  },
)

inBrowser(
  'a typed value stays when the operator of a filter changes; a text that is no date names the pattern',
  { as: ADMIN, at: '/models/invoice' },
  async ({ page }) => {
    await rows(page).first().waitFor()
    const filters = page.getByRole('region', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Total', exact: true }).click()
    await page.getByRole('textbox', { name: 'From' }).fill('120.5')
    const choose = async (operator: string) => {
      await page.getByRole('button', { name: /^Condition/ }).click()
      await page.getByRole('menuitem', { name: operator, exact: true }).click()
    }
    await choose('is at least')
    assert.match(await page.getByRole('textbox', { name: 'Value' }).inputValue(), /^120\.50?$/)
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText(/^Total is at least 120\.50?$/).waitFor()

    await filters.getByRole('button', { name: 'Date', exact: true }).click()
    await choose('is after')
    await page.getByRole('textbox', { name: 'Value' }).fill('soon')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText(/This is not a date\. Write it as (dd\/mm|mm\/dd)\/yyyy\./).waitFor()
  },
)

inBrowser(
  'who may not delete a record by the access rules is told so, in its menu and for several of a list',
  { as: RECEPTION, at: '/models/invoice?filter=status=paid', allows: ['403 /models/invoice'] },
  async ({ page }) => {
    await rows(page).first().locator('.list-check').click()
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You are not allowed to delete it.').waitFor()
    assert.equal(await dialog.getByRole('button', { name: /^Delete/ }).count(), 0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await rows(page).first().locator('.list-link').click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByText('You are not allowed to delete “').waitFor()
    await assertBecomes(() => dialog.getByRole('button', { name: /^Delete/ }).count(), 0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  },
)

inBrowser(
  'the next record at the end of a page is found after others were added',
  { as: ADMIN, at: '/models/patient?sort=name&page_size=10' },
  async ({ page, server }) => {
    await rows(page).nth(9).waitFor()
    const names = await page.locator('tbody .list-link').allInnerTexts()
    await page.locator('tbody .list-link').nth(9).click()
    await page.getByText(/^10 of \d+$/).waitFor({ state: 'attached' })
    const api = await apiOf(server, ADMIN)
    const patient = { name: 'Aaron, first', number: 'P-99999', date_of_birth: '1990-01-01', sex: 'other', phone: '01 234 5678' }
    const { data: added } = await api.model('patient').create(patient)
    await page.getByRole('button', { name: 'Next record' }).click()
    await page.getByText(/^12 of \d+$/).waitFor({ state: 'attached' })
    const heading = await page.getByRole('main').getByRole('heading', { level: 1 }).innerText()
    assert.ok(!names.includes(heading), heading)
    await api.model('patient').delete(added.id)
  },
)

inBrowser(
  'sums and averages of the records that match stand below the list, of numbers alone, and stay with the browser',
  { as: ADMIN, at: '/models/invoiceline?filter=invoice_id=1' },
  async ({ page, checkAccess, path }) => {
    await rows(page).nth(2).waitFor()
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/aggregate')) requests.push(new URL(request.url()).search)
    })
    await page.getByRole('button', { name: 'Totals', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Sum' }).check()
    await page.getByRole('checkbox', { name: 'Average' }).check()
    await page.keyboard.press('Escape')
    const total = (name: string, head: string) =>
      page.evaluate(
        `(() => {
          const place = [...document.querySelectorAll('thead th')].findIndex((each) => each.dataset.column === '${head}')
          const row = [...document.querySelectorAll('tfoot tr')].find((each) => each.textContent.includes('${name}'))
          return row?.children[place]?.textContent
        })()`,
      )
    await page.locator('tfoot').getByText('141.80', { exact: true }).waitFor()
    assert.equal(await total('Sum', 'net_amount'), '141.80')
    assert.equal(await total('Average', 'net_amount'), '47.27')
    assert.equal(await total('Sum', 'quantity'), '15.00')
    for (const head of ['vat_rate', 'code', 'description']) assert.equal(await total('Sum', head), '', head)
    assert.equal(new URLSearchParams(requests.at(-1)).get('sum'), new URLSearchParams(requests.at(-1)).get('avg'))
    await checkAccess()

    await page.goto(`${path}/models/invoiceline?filter=invoice_id=5`)
    await page.locator('tfoot').getByText('56.75', { exact: true }).first().waitFor()
    assert.equal(await total('Sum', 'net_amount'), '56.75')
    await page.goto(`${path}/models/invoiceline?q=hepatitis`)
    await rows(page).first().waitFor()
    await page.locator('tfoot:not([aria-busy])').waitFor()
    assert.match(String(await total('Sum', 'net_amount')), /^\d+\.\d\d$/)
    await page.evaluate('localStorage.removeItem("admin.totals")')
  },
)

/** The width of a column in pixels. */
const widthOf = async (page: Page, column: string): Promise<number> =>
  (await page.locator(`th[data-column="${column}"]`).boundingBox())?.width ?? 0

inBrowser(
  'a column is resized by drag and by keys, fits its contents again, and keeps its width',
  { as: ADMIN, at: '/models/appointment?columns=reason,kind,status,notes', widths: [768, 1280] },
  async ({ page, checkAccess }) => {
    await rows(page).first().waitFor()
    const first = await widthOf(page, 'kind')
    const handle = page.getByRole('separator', { name: 'Width of Type' })
    const box = await handle.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 4, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 64, box.y + 10, { steps: 4 })
    await page.mouse.up()
    assert.equal(Math.round(await widthOf(page, 'kind')), Math.round(first) + 60)
    await page.reload()
    await rows(page).first().waitFor()
    assert.equal(Math.round(await widthOf(page, 'kind')), Math.round(first) + 60)

    // While the records are loaded, too.
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/v1/models/appointment?*', async (route) => {
      await held
      await route.continue()
    })
    await page.reload({ waitUntil: 'commit' })
    await page.locator('.list-waiting').waitFor()
    assert.equal(Math.round(await widthOf(page, 'kind')), Math.round(first) + 60)
    release()
    await rows(page).first().waitFor()
    await page.unroute('**/api/v1/models/appointment?*')

    await handle.focus()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowLeft')
    assert.equal(Math.round(await widthOf(page, 'kind')), Math.round(first) + 12)
    await assertBecomes(() => handle.getAttribute('aria-valuenow'), String(Math.round(first) + 12))
    await handle.dblclick()
    assert.equal(Math.round(await widthOf(page, 'kind')), Math.round(first))

    // A narrow column cuts its texts off.
    await page.getByRole('separator', { name: 'Width of Reason for visit' }).focus()
    for (let presses = 0; presses < 20; presses++) await page.keyboard.press('ArrowLeft')
    assert.equal(await widthOf(page, 'reason'), 56)
    const line = "document.querySelector('td.list-sticky .cell-text')"
    assert.equal(await page.evaluate(`${line}.clientWidth <= 32 && ${line}.scrollWidth > ${line}.clientWidth`), true)
    await checkAccess()
    await page.keyboard.press('Enter')
    assert.ok((await widthOf(page, 'reason')) > 100)
    await page.evaluate('localStorage.removeItem("admin.columnWidths")')
  },
)

inBrowser(
  'pinned columns stand first, stay in sight beside each other with a divider, and can be given up',
  {
    as: ADMIN,
    at: '/models/appointment?columns=reason,kind,notes,patient_id,doctor_id,starts_at,status,video_link,booked_by_id,created_at',
    // At 768 px the first column leaves no room for a second pin, which then scrolls with the others.
    widths: [1280],
  },
  async ({ page, checkAccess }) => {
    await rows(page).first().waitFor()
    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    await page.getByRole('button', { name: 'Pin Status' }).click()
    await checkAccess()
    await page.keyboard.press('Escape')
    const heads = () =>
      page.evaluate("[...document.querySelectorAll('thead th[data-column]')].slice(0, 3).map((each) => each.dataset.column)")
    assert.deepEqual(await heads(), ['reason', 'status', 'kind'])
    await page.evaluate("document.querySelector('.list-scroll').scrollTo(9999, 0)")
    await page.locator('.list-frame[data-before]').waitFor()
    const place = (name: string) => page.locator(`th[data-column="${name}"]`).boundingBox()
    const [frame, reason, status] = [
      await page.locator('.list-scroll').boundingBox(),
      await place('reason'),
      await place('status'),
    ]
    assert.ok(frame && reason && status)
    assert.equal(Math.round(reason.x - frame.x), 36)
    assert.equal(Math.round(status.x), Math.round(reason.x + reason.width))
    const edge = "parseFloat(getComputedStyle(document.querySelector('.list-frame'), '::before').left)"
    assert.equal(Math.round((await page.evaluate(edge)) as number), Math.round(status.x + status.width - frame.x))

    await page.reload()
    await rows(page).first().waitFor()
    assert.deepEqual(await heads(), ['reason', 'status', 'kind'])
    await page.getByRole('button', { name: 'Columns', exact: true }).click()
    await page.getByRole('button', { name: 'Reset to default' }).click()
    await page.keyboard.press('Escape')
    await page.waitForURL(({ search }) => !search.includes('columns'))
    assert.deepEqual(await heads(), ['starts_at', 'patient_id', 'status'])
  },
)

inBrowser(
  'search, offered filters and order of a list are in one line at 1280 px; many filters have a line of their own',
  { as: RECEPTION, at: '/models/appointment', widths: [1280] },
  async ({ page, path }) => {
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox()
      assert.ok(box !== null, selector)
      return box
    }
    await page.locator('.sort-chip').waitFor()
    const search = await boxOf('.search-box')
    const order = await boxOf('.sort-chip')
    assert.ok(order.y < search.y + search.height, 'the order is beside the search')

    await page.goto(`${path}/models/patient`)
    await page.locator('.sort-chip').waitFor()
    assert.equal((await boxOf('.list-filters')).x, (await boxOf('.search-box')).x)
    for (const name of ['Saved views', 'Columns']) await page.getByRole('button', { name, exact: true }).waitFor()
  },
)

inBrowser(
  'the tab of the list that is open is in sight on a phone',
  { as: RECEPTION, at: '/models/appointment?list=AppointmentCalendar', widths: [360] },
  async ({ page }) => {
    const tab = page.getByRole('button', { name: 'Appointment calendar' })
    const isInSight = async () => {
      const box = await tab.boundingBox()
      return box !== null && box.x >= 0 && box.x + box.width <= 360
    }
    await assertBecomes(isInSight, true)
  },
)
