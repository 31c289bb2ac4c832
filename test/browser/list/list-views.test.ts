import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const ADMIN = { username: 'harbour', password: 'lists-at-sea-24' }
const CLERK = { username: 'clerk', password: 'berths-and-buoys-7' }
const STATES = ['free', 'taken', 'closed']
const BERTHS = Array.from({ length: 24 }, (_, index) => ({
  code: `Berth ${String(index + 1).padStart(2, '0')}`,
  state: STATES[index % STATES.length],
  depth: index * 100,
  owner_id: 1,
}))

/** A project whose list views set everything that they can, under another path. */
const project = await makeProject({
  'admin.config.yaml': 'admin_path: /desk\nviews_auth: required\n',
  'models/berth.yaml': `
name: Berth
display_field: code
fields:
  - { name: code, type: string, required: true }
  - { name: state, type: choice, choices: [free, taken, closed], default: free }
  - { name: depth, type: integer }
  - { name: note, type: text }
  - { name: owner_id, type: foreignkey, model: user }
`,
  'views/berth.yaml': `
- name: BerthForm
  view_type: form
  model: Berth
  fields:
    - { name: code, field_type: string, required: true }
    - { name: state, field_type: choice, widget: select }
    - { name: depth, field_type: integer }
    - { name: owner_id, field_type: foreignkey }
  creation_fields: [code, state, depth, owner_id]
  allowed_update_fields: [state, depth]
- name: BerthList
  view_type: list
  model: Berth
  sort: [{ field: depth, order: desc }]
  page_size: 10
  filters: [owner_id, state]
  inline_form: BerthForm
  fields:
    - { name: code, title: Place, field_type: string }
    - name: state
      title: Occupancy
      field_type: choice
      options: { labels: { free: To let, taken: Let }, colors: { free: teal, taken: pink } }
    - { name: depth, title: Depth in cm, field_type: integer }
    - { name: owner_id, title: Let by, field_type: foreignkey }
- name: BerthNotesList
  view_type: list
  model: Berth
  fields:
    - { name: code, title: Place, field_type: string }
    - { name: note, title: Notes, field_type: text }
`,
  'seed/user.json': JSON.stringify([
    { ...ADMIN, email: 'harbour@example.org', is_superuser: true },
    { ...CLERK, email: 'clerk@example.org', groups: [1] },
  ]),
  'seed/permission.json': JSON.stringify([{ codename: 'view_berth' }, { codename: 'change_berth' }]),
  'seed/group.json': JSON.stringify([{ name: 'Clerks', permissions: [1, 2] }]),
  'seed/berth.json': JSON.stringify(BERTHS),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path, path: '/harbour/desk', env: { ADMIN_BASE_PATH: '/harbour' } })

const filters = (page: Page) => page.getByRole('region', { name: 'Filters' })

inBrowser(
  'a list view sets the order, the page size, the titles, labels and colours, and the filters that are offered first',
  { as: ADMIN, at: '/models/berth' },
  async ({ page, checkAccess }) => {
    await page.locator('tbody tr').nth(9).waitFor()
    await assertBecomes(() => page.locator('tbody tr').count(), 10)
    await assertBecomes(() => page.locator('tbody .list-link').first().innerText(), 'Berth 24')
    await assertBecomes(() => page.locator('th[aria-sort=descending]').innerText(), 'Depth in cm')
    await assertBecomes(() => filters(page).getByRole('button').allInnerTexts(), ['Filter', 'Let by', 'Occupancy'])
    const chip = page.locator('td .chip', { hasText: 'To let' }).first()
    await assertBecomes(() => chip.getAttribute('data-color'), 'teal')
    const height = (await page.locator('tbody tr').first().boundingBox())?.height ?? 0
    assert.ok(Math.abs(height - 40) < 1, `${height} px`)

    await filters(page).getByRole('button', { name: 'Occupancy' }).click()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'To let' }).check()
    await checkAccess()
    await page.keyboard.press('Escape')
    await filters(page).getByRole('button', { name: 'Occupancy is To let', exact: true }).waitFor()
    await page.getByRole('status').getByText('8 records', { exact: true }).waitFor()
    await assertBecomes(() => page.getByRole('button', { name: 'Next page' }).count(), 0)
  },
)

inBrowser(
  'the list views of a model are tabs; each keeps its own columns',
  { as: ADMIN, at: '/models/berth' },
  async ({ page }) => {
    const heads = async () => (await page.locator('thead th').allInnerTexts()).slice(1).map((text) => text.trim())
    await page.locator('tbody tr').nth(9).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Let by' }).press('Space')
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Let by' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Berth notes list' }).click()
    await page.getByRole('columnheader', { name: 'Notes' }).waitFor()
    await assertBecomes(heads, ['Place', 'Notes'])
    await page.getByRole('button', { name: 'Berth list' }).click()
    await page.getByRole('columnheader', { name: 'Occupancy' }).waitFor()
    await assertBecomes(heads, ['Place', 'Occupancy', 'Depth in cm'])
  },
)

inBrowser(
  'a user who may change records but not view those they refer to filters by id and edits the cells of the form',
  { as: CLERK, at: '/models/berth' },
  async ({ page, checkAccess }) => {
    await page.locator('tbody tr').nth(9).waitFor()
    assert.deepEqual(await page.getByRole('link', { name: /^(Add|Import)$/ }).all(), [])
    const edits = page
      .locator('tbody tr')
      .first()
      .getByRole('button', { name: /^Edit / })
    await assertBecomes(() => edits.count(), 2)
    await filters(page).getByRole('button', { name: 'Let by' }).click()
    await page.getByLabel('Value').fill('1')
    await checkAccess()
    await page.getByRole('button', { name: 'Apply' }).click()
    await filters(page).getByRole('button', { name: 'Let by is #1', exact: true }).waitFor()
    await page.getByRole('status').getByText('24 records', { exact: true }).waitFor()
  },
)

inBrowser(
  'controls are at least 24 px in both directions',
  { as: ADMIN, at: '/models/berth?filter=state%3Dfree&filter=depth__gt%3D0&page_size=5' },
  async ({ page }) => {
    await page.locator('tbody tr').nth(4).waitFor()
    await page.locator('tbody input[type=checkbox]').first().click()
    await page.getByRole('region', { name: 'Selection' }).waitFor()
    const isSmall = '({ width, height }) => width < 24 || height < 24'
    const small = await page.evaluate(
      `[...document.querySelectorAll('main button, main select, main .input, main .button')].filter((each) => (${isSmall})(each.getBoundingClientRect())).map((each) => each.outerHTML)`,
    )
    assert.deepEqual(small, [])
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(wider) <= 0, `the page is ${wider} px wider than the window`)
  },
)
