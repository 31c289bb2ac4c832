import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const inClinic = browserSite({ fixture: 'clinic' })

/** Accounts of `fixtures/clinic`. */
const ADMIN = { username: 'admin', password: 'alder-lane-admin-26' }
const RECEPTION = { username: 'g.adeyemi', password: 'front-desk-morning-26' }
const DOCTOR = { username: 'a.yusuf', password: 'stethoscope-blue-26' }

const OWNER = { username: 'admin', password: 'new-project-2026' }

/** A project with panels and without records. */
const empty = await makeProject({
  'models/walk.yaml':
    'name: Walk\nfields:\n  - { name: place, type: string }\n  - { name: km, type: number }\n  - { name: day, type: date }\n',
  'dashboard.yaml': `panels:
  - { title: Average length, kind: number, model: Walk, avg: km }
  - { title: Longest by place, kind: table, model: Walk, group_by: place, max: km, link: false, limit: 1 }
  - { title: Walks of the year, kind: line, model: Walk, group_by: "day:month", sum: km }
  - { title: Far walks, kind: table, model: Walk, filters: [km__gt=100] }
`,
  'seed/user.json': JSON.stringify([{ ...OWNER, email: 'admin@example.org', is_superuser: true }]),
})
const inEmptyProject = browserSite({ project: empty.path })
after(() => empty.remove())

const panel = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true }).first()

/** The number of a panel, or of one of its groups. */
const numberOf = (page: Page, title: string) => panel(page, title).locator('.project-panel-number')
const groupOf = (page: Page, title: string, group: string) =>
  panel(page, title)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: group, exact: true }) })
    .getByRole('cell')
    .last()

const filtersIn = (page: Page): readonly string[] => new URL(page.url()).searchParams.getAll('filter')

inClinic(
  'panels have numbers, bars, a line with its numbers and rows, and lead to the lists behind them',
  { as: RECEPTION },
  async ({ page, path, checkAccess }) => {
    assert.match(await numberOf(page, 'Open invoices').innerText(), /^\d,\d{3}\.\d\d$/)
    await panel(page, 'Appointments by status').getByRole('rowheader', { name: 'Did not attend' }).waitFor()
    const rows = panel(page, 'Next appointments').locator('tbody tr')
    assert.equal(await rows.count(), 6)
    // All columns are in sight, also on a phone.
    const edge = await panel(page, 'Next appointments').boundingBox()
    const last = await rows.first().locator('td').last().boundingBox()
    assert.ok(last !== null && edge !== null && last.x + last.width <= edge.x + edge.width)
    await panel(page, 'Turnover by doctor').getByRole('rowheader', { name: 'Dr. Jürgen Weiß' }).waitFor()
    const line = panel(page, 'Appointments by week')
    await line.getByText('Show the numbers').click()
    const weeks = await line.getByRole('rowheader').allInnerTexts()
    assert.deepEqual([weeks[0], weeks.at(-1)], ['Week 51, 2026', 'Week 44, 2026'])
    await checkAccess()

    const overdue = await numberOf(page, 'Overdue').innerText()
    await panel(page, 'Overdue').getByRole('link').click()
    await page.waitForURL(/models\/invoice\?/)
    assert.deepEqual(filtersIn(page), ['status=overdue'])
    await page
      .getByText(new RegExp(`of ${overdue}$|^${overdue} invoices$`, 'i'))
      .first()
      .waitFor()

    await page.goto(`${path}/`)
    const doctor = panel(page, 'Turnover by doctor').getByRole('link', { name: 'Dr. Jürgen Weiß' })
    await doctor.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/models\/invoice\?/)
    assert.deepEqual(
      filtersIn(page).map((filter) => filter.replace(/\d+$/, 'id')),
      ['status=paid', 'doctor_id=id'],
    )

    await page.goto(`${path}/`)
    await panel(page, 'Appointments by week').getByText('Show the numbers').click()
    const week = await groupOf(page, 'Appointments by week', 'Week 45, 2026').innerText()
    await panel(page, 'Appointments by week').getByRole('link', { name: 'Week 45, 2026' }).click()
    await page.waitForURL(/models\/appointment\?/)
    assert.deepEqual(filtersIn(page), ['starts_at__gte=2026-11-02T00:00:00.000Z', 'starts_at__lt=2026-11-09T00:00:00.000Z'])
    await page
      .getByText(new RegExp(`of ${week}$|^${week} appointments$`, 'i'))
      .first()
      .waitFor()
  },
)

inClinic('a change made elsewhere reaches the panels', { as: ADMIN }, async ({ page, server }) => {
  const waiting = Number(await numberOf(page, 'In the waiting room').innerText())
  const bar = Number(await groupOf(page, 'Appointments by status', 'In the waiting room').innerText())
  const appointments = (await apiOf(server, ADMIN)).model('appointment')
  const [booked] = (await appointments.list({ filters: { status: 'booked' }, sort: ['-id'], page_size: 1 })).data
  await appointments.update(Number(booked?.id), { status: 'arrived' })
  await assertBecomes(() => numberOf(page, 'In the waiting room').innerText(), String(waiting + 1))
  await assertBecomes(() => groupOf(page, 'Appointments by status', 'In the waiting room').innerText(), String(bar + 1))
})

inClinic('a doctor has the numbers of own records, and no panel of reception', { as: DOCTOR }, async ({ page, server }) => {
  await panel(page, 'Appointments by status').getByRole('rowheader', { name: 'Completed' }).waitFor()
  assert.equal(await page.getByRole('region', { name: 'Turnover by doctor' }).count(), 0)
  const all = await (await apiOf(server, ADMIN)).model('appointment').list({ filters: { status: 'completed' }, page_size: 1 })
  const own = Number(await groupOf(page, 'Appointments by status', 'Completed').innerText())
  assert.ok(own > 0 && own < all.total, `${own} of ${all.total}`)
})

inClinic(
  'a panel that fails says so and hides no other; numbers and dates are in the language of the page',
  { as: RECEPTION, at: '/account', allows: ['500 /models/appointment/aggregate'] },
  async ({ page, path }) => {
    await page.evaluate(`localStorage['admin.language'] = '"de"'`)
    let isBroken = true
    await page.route('**/models/appointment/aggregate?*', (route) =>
      isBroken ? route.fulfill({ status: 500, json: { error: 'x', status_code: 500, details: 'x' } }) : route.continue(),
    )
    await page.goto(`${path}/`)
    assert.match(await numberOf(page, 'Open invoices').innerText(), /^\d\.\d{3},\d\d$/)
    const failed = panel(page, 'Appointments by week')
    await failed.getByRole('alert').waitFor()
    isBroken = false
    await failed.getByRole('button', { name: 'Erneut versuchen' }).click()
    await failed.getByText('KW 51, 2026', { exact: true }).first().waitFor()
    await panel(page, 'Appointments by status').getByRole('alert').waitFor()
  },
)

inEmptyProject(
  'a project without records has first steps, and its panels once there is something to show',
  { as: OWNER },
  async ({ page, server, checkAccess }) => {
    await page.getByRole('region', { name: 'First steps' }).waitFor()
    assert.equal(await page.getByRole('region', { name: 'Average length' }).count(), 0)
    const walks = (await apiOf(server, OWNER)).model('walk')
    await walks.bulkCreate(
      [
        { place: 'Shore', km: 4, day: '2026-01-05' },
        { place: 'Shore', km: 6.5, day: '2026-03-01' },
        { place: 'Hill', km: 9, day: null },
      ],
      {},
    )
    await assertBecomes(() => numberOf(page, 'Average length').innerText(), '6.5')
    assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0)
    const longest = panel(page, 'Longest by place')
    await longest.getByText('1 group not shown').waitFor()
    assert.equal(await longest.getByRole('link').count(), 0)
    assert.deepEqual(await longest.getByRole('rowheader').allInnerTexts(), ['Hill'])
    const year = panel(page, 'Walks of the year')
    await year.getByText('Show the numbers').click()
    const months = await year.locator('tbody tr').allInnerTexts()
    assert.deepEqual(
      months.map((row) => row.replace(/\s+/g, ' ').trim()),
      ['Mar 2026 6.5', 'Feb 2026 0', 'Jan 2026 4'],
    )
    await panel(page, 'Far walks').getByText('No records').waitFor()
    await checkAccess()
  },
)
