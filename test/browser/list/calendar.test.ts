import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const ADMIN = { username: 'harbour', password: 'tides-and-times-55' }
const READER = { username: 'watcher', password: 'from-the-pier-only-3' }

/** In Berlin, on 10 March 2027, a Wednesday. */
const at = (time: string, day = '2027-03-10') => `${day}T${time}:00+01:00`

const project = await makeProject({
  'admin.config.yaml': 'history: { days: 30 }\n',
  'models/tour.yaml': `
- name: Tour
  display_field: title
  fields:
    - { name: title, type: string, required: true }
    - { name: starts_at, type: datetime, required: true }
    - { name: ends_at, type: datetime }
    - { name: kind, type: choice, choices: [short, long] }
- name: Berth
  display_field: ship
  fields:
    - { name: ship, type: string, required: true }
    - { name: arrives, type: date, required: true }
    - { name: leaves, type: date }
`,
  'views/tour.yaml': `
- name: TourForm
  view_type: form
  model: Tour
  fields:
    - { name: title, title: Title, field_type: string, required: true }
    - { name: starts_at, title: Start, field_type: datetime, required: true }
    - { name: ends_at, title: End, field_type: datetime, visible_when: "self.title != ''" }
  rules:
    - { rule: "self.title != 'Tour 9' || self.ends_at == null", field: ends_at, message: Tour 9 has no end }
- name: TourList
  view_type: list
  model: Tour
  inline_form: TourForm
  layout: { calendar: { start: starts_at, end: ends_at } }
  fields:
    - { name: title, title: Title }
    - { name: starts_at, title: Start }
    - { name: kind, title: Kind, options: { colors: { short: green } } }
- name: BerthForm
  view_type: form
  model: Berth
  fields: [{ name: ship, title: Ship, required: true }, { name: arrives, title: From, required: true }, { name: leaves, title: To, visible_when: self.arrives != null }]
- name: BerthList
  view_type: list
  model: Berth
  inline_form: BerthForm
  layout: { calendar: { start: arrives, end: leaves } }
  fields: [{ name: ship, title: Ship }]
`,
  'seed/user.json': JSON.stringify([
    { ...ADMIN, email: 'harbour@example.org', is_superuser: true },
    { ...READER, email: 'watcher@example.org', groups: [1] },
  ]),
  'seed/permission.json': JSON.stringify([{ codename: 'view_tour' }]),
  'seed/group.json': JSON.stringify([{ name: 'Watchers', permissions: [1] }]),
  'seed/tour.json': JSON.stringify([
    { title: 'Island', starts_at: at('10:00'), ends_at: at('12:00'), kind: 'short' },
    { title: 'Seals', starts_at: at('11:00'), ends_at: at('13:00') },
    { title: 'Night', starts_at: at('22:00', '2027-03-11'), ends_at: at('02:00', '2027-03-12') },
    ...Array.from({ length: 6 }, (_, index) => ({ title: `Tour ${index + 4}`, starts_at: at(`1${index}:00`, '2027-03-17') })),
  ]),
  'seed/berth.json': JSON.stringify([{ ship: 'Alma', arrives: '2027-03-09', leaves: '2027-03-10' }]),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

const entry = (page: Page, title: string) => page.locator('.schedule-entry', { hasText: title })
const notice = (page: Page, text: string) => page.locator('.toast-content', { hasText: text })
/** A day in words, with or without the comma of some browsers. */
const named = (text: string) => new RegExp(text.replace(/(day) (\d)/, '$1,? $2'))
const day = (page: Page, name: string) => page.getByRole('group', { name: named(`^${name}`) })

inBrowser(
  'a week has its records by hour; they are dragged, resized and added with the pointer',
  { as: ADMIN, at: '/models/tour?at=week.2027-03-10', widths: [1280] },
  async ({ page, server, checkAccess }) => {
    await entry(page, 'Island').waitFor()
    await page.getByRole('heading', { name: /^8\s*–\s*14 Mar 2027$/ }).waitFor()
    await assertBecomes(() => entry(page, 'Night').count(), 2)
    const [island, seals] = [await entry(page, 'Island').boundingBox(), await entry(page, 'Seals').boundingBox()]
    assert.ok(island !== null && seals !== null)
    assert.ok(island.x + island.width <= seals.x + 1, 'beside each other')
    assert.equal(Math.round(seals.y - island.y), 44)
    await checkAccess()

    const column = await day(page, 'Friday 12 March 2027').boundingBox()
    assert.ok(column !== null)
    const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 3 })
      await page.mouse.move(to.x, to.y, { steps: 3 })
      await page.mouse.up()
    }
    // Two days later, and an hour.
    await drag({ x: island.x + 20, y: island.y + 20 }, { x: column.x + 40, y: island.y + 64 })
    await notice(page, 'Island moved to').waitFor()
    const tours = (await apiOf(server, ADMIN)).model('tour')
    const times = async (id: number) => {
      const { data } = await tours.read(id)
      return [data.starts_at, data.ends_at].map((time) => (time === null ? null : new Date(String(time)).toISOString()))
    }
    assert.deepEqual(await times(1), ['2027-03-12T10:00:00.000Z', '2027-03-12T12:00:00.000Z'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await assertBecomes(() => day(page, 'Wednesday 10 March 2027').locator('.schedule-entry').count(), 2)
    assert.deepEqual(await times(1), ['2027-03-10T09:00:00.000Z', '2027-03-10T11:00:00.000Z'])

    const end = { x: seals.x + 20, y: seals.y + seals.height - 3 }
    await drag(end, { x: end.x, y: end.y + 22 })
    await notice(page, 'Seals now ends').waitFor()
    assert.deepEqual(await times(2), ['2027-03-10T10:00:00.000Z', '2027-03-10T12:30:00.000Z'])
    assert.doesNotMatch(page.url(), /open=/)

    await entry(page, 'Seals').click()
    await page.getByRole('dialog', { name: 'Seals' }).getByLabel('Title').waitFor()
    assert.match(page.url(), /\/models\/tour\?.*open=tour\.2/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Seals' }).waitFor({ state: 'detached' })
    await page.mouse.click(column.x + 60, seals.y + 10)
    await page.getByLabel('Title').waitFor()
    assert.match(decodeURIComponent(page.url()), /fill=starts_at=2027-03-12T10:00:00\.000Z/)
    await assertBecomes(() => page.locator('[data-field=starts_at] input').first().inputValue(), '12/03/2027, 11:00')
  },
)

inBrowser(
  'keys move records and their ends in one step, and go through days, months and their records',
  { as: ADMIN, at: '/models/tour?at=month.2027-03-16', widths: [768, 1280], allows: ['400 /models/tour/9'] },
  async ({ page, server, checkAccess }) => {
    const tours = (await apiOf(server, ADMIN)).model('tour')
    const streaming = page.waitForResponse((response) => response.url().includes('/events'))
    await page.reload()
    await streaming
    await entry(page, 'Tour 4').waitFor()
    // Weeks begin with Monday.
    await assertBecomes(() => page.locator('.schedule-weekdays > span').first().innerText(), 'Mon')
    await page.getByRole('button', { name: named('^Tuesday 16 March 2027$') }).focus()
    await page.keyboard.press('ArrowRight')
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')
    await assertBecomes(async () => named('^Wednesday 17 March 2027$').test(String(await focused())), true)
    await checkAccess()
    await page.getByRole('button', { name: named('3 more on Wednesday 17 March 2027') }).waitFor()
    await tours.update(4, { title: 'Renamed' })
    await entry(page, 'Renamed').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowUp')
    await notice(page, 'Renamed moved to').waitFor()
    assert.equal(new Date(String((await tours.read(4)).data.starts_at)).toISOString(), '2027-03-09T09:00:00.000Z')
    await assertBecomes(() => day(page, 'Tuesday 9 March 2027, 1 record').count(), 1)
    await assertBecomes(async () => String(await focused()).includes('Renamed'), true)

    await page.getByRole('button', { name: 'Next month' }).click()
    await page.getByRole('heading', { name: 'April 2027' }).waitFor()
    await assertBecomes(() => page.locator('.schedule-entry').count(), 0)
    assert.match(page.url(), /at=month\.2027-04-17/)
    await page.goBack()
    await page.getByRole('heading', { name: 'March 2027' }).waitFor()

    // The rule of the form keeps the end as it is.
    await page.getByRole('button', { name: 'Day', exact: true }).click()
    await entry(page, 'Tour 9').focus()
    await page.keyboard.press('Control+Shift+ArrowDown')
    await notice(page, 'Tour 9 has no end').waitFor()
    await page.reload()
    await entry(page, 'Tour 9').waitFor()
    assert.equal((await tours.read(9)).data.ends_at, null)
  },
)

inBrowser(
  'what keys have moved is stored at once when another record is moved, and when the calendar goes on',
  { as: ADMIN, at: '/models/tour?at=month.2027-03-10', widths: [1280] },
  async ({ page, server }) => {
    await entry(page, 'Seals').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await entry(page, 'Night').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('PageDown')
    await page.getByRole('heading', { name: 'April 2027' }).waitFor()
    const tours = (await apiOf(server, ADMIN)).model('tour')
    const start = async (id: number) => new Date(String((await tours.read(id)).data.starts_at)).toISOString()
    await assertBecomes(() => start(2), '2027-03-11T10:00:00.000Z')
    await assertBecomes(() => start(3), '2027-03-12T21:00:00.000Z')

    // Before the page is closed the browser asks.
    await page.keyboard.press('PageUp')
    await entry(page, 'Seals').focus()
    const question = page.waitForEvent('dialog')
    const event = "new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true })"
    await page.evaluate(`setTimeout(() => { document.activeElement.dispatchEvent(${event}); location.reload() }, 0)`)
    await (await question).dismiss()
    await assertBecomes(() => start(2), '2027-03-12T10:00:00.000Z')
  },
)

inBrowser(
  'a form with conditions opens from a calendar without an error of React, also when their code is there from another form',
  { as: ADMIN, at: '/models/tour/new', widths: [1280] },
  async ({ page }) => {
    // What a form waits for is there before React has left it, which then goes on within it.
    await page.getByLabel('Title').waitFor()
    await page
      .locator('.menu-nav')
      .getByRole('link', { name: /^Berth/ })
      .first()
      .click()
    await page.getByRole('link', { name: /^Add / }).first().click()
    await page.getByLabel('Ship').waitFor()
    await assertBecomes(() => page.locator('[data-field=leaves]').count(), 0)
    await page.goBack()
    await page
      .getByRole('button', { name: /^Add on/ })
      .first()
      .click()
    await page.getByLabel('Ship').waitFor()
    await page.getByLabel('To', { exact: true }).first().waitFor()
  },
)

inBrowser(
  'whole days are bars of a month, whose end is dragged; a phone has numbers, and days to open',
  { as: ADMIN, at: '/models/berth?at=month.2027-03-10' },
  async ({ page, server, variant }) => {
    if (variant.width < 768) {
      await page.getByRole('button', { name: named('1 more on Tuesday 9 March 2027') }).click()
      await entry(page, 'Alma').waitFor()
    } else {
      const bar = await entry(page, 'Alma').boundingBox()
      const to = await day(page, 'Friday 12 March 2027').boundingBox()
      assert.ok(bar !== null && to !== null)
      assert.ok(bar.width > to.width * 1.5)
      await page.mouse.move(bar.x + bar.width - 3, bar.y + 10)
      await page.mouse.down()
      await page.mouse.move(to.x + 20, bar.y + 12, { steps: 4 })
      await page.mouse.up()
      await notice(page, 'Alma now ends').waitFor()
      assert.equal((await (await apiOf(server, ADMIN)).model('berth').read(1)).data.leaves, '2027-03-12')
    }
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(wider) <= 0, `the page is ${wider} px wider than the window`)
  },
)

inBrowser(
  'without the permission to change or add, a calendar is to read, with the filters of the list',
  { as: READER, at: '/models/tour?at=week.2027-03-10&filter=kind%3Dshort', widths: [768, 1280] },
  async ({ page, server }) => {
    await entry(page, 'Island').waitFor()
    await assertBecomes(() => page.locator('.schedule-entry').count(), 1)
    assert.equal(await page.getByRole('button', { name: /^Add on/ }).count(), 0)
    await entry(page, 'Island').focus()
    await page.keyboard.press('Shift+ArrowRight')
    const box = await entry(page, 'Island').boundingBox()
    assert.ok(box !== null)
    await page.mouse.move(box.x + 10, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 10, box.y + 90, { steps: 4 })
    await page.mouse.up()
    assert.deepEqual((await entry(page, 'Island').boundingBox())?.y, box.y)
    const { data } = await (await apiOf(server, ADMIN)).model('tour').read(1)
    assert.equal(new Date(String(data.starts_at)).toISOString(), '2027-03-10T09:00:00.000Z')
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Start' }).waitFor()
    await assertBecomes(() => page.locator('tbody tr').count(), 1)
  },
)
