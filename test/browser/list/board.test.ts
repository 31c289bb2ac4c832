import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const ADMIN = { username: 'foreman', password: 'planks-and-nails-31' }
const READER = { username: 'visitor', password: 'looking-only-here-8' }
const task = (title: string, state: string, more: object = {}) => ({ title, state, hours: 2, ...more })
/** The id of each is its place. */
const TASKS = [
  task('Saw', 'open', { hours: 3 }),
  task('Plane', 'open'),
  task('Glue', 'doing', { owner_id: 1 }),
  task('Paint', 'done'),
  ...Array.from({ length: 60 }, (_, index) => task(`Old ${String(index + 1).padStart(2, '0')}`, 'archived', { hours: 1 })),
]

const project = await makeProject({
  'admin.config.yaml': 'history: { days: 30 }\n',
  'models/task.yaml': `
name: Task
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: choice, required: true, choices: [open, doing, done, archived] }
  - { name: hours, type: integer }
  - { name: owner_id, type: foreignkey, model: user }
`,
  'views/task.yaml': `
- name: TaskForm
  view_type: form
  model: Task
  fields:
    - { name: title, title: Title, field_type: string, required: true }
    - { name: state, title: State, field_type: choice, options: { choices: [open, doing, done] } }
    - { name: owner_id, title: Owner, field_type: foreignkey }
  allowed_update_fields: [title, state, owner_id]
  rules:
    - { rule: self.state != "done" || self.owner_id != null, field: state, message: Who has done it? }
- name: TaskBoard
  view_type: list
  model: Task
  sort: [{ field: title }]
  inline_form: TaskForm
  layout: { board: state }
  fields:
    - { name: title, title: Title }
    - { name: state, title: State, options: { labels: { open: To do, doing: In progress }, colors: { open: blue } } }
    - { name: hours, title: Hours }
    - { name: owner_id, title: Owner }
- name: TasksByOwner
  view_type: list
  model: Task
  sort: [{ field: title }]
  inline_form: TaskForm
  layout: { board: owner_id }
  fields: [{ name: title, title: Title }]
`,
  'models/chore.yaml': `
name: Chore
display_field: title
access:
  change: self.owner_id == user.id
fields:
  - { name: title, type: string, required: true }
  - { name: state, type: choice, required: true, choices: [open, done] }
  - { name: owner_id, type: foreignkey, model: user }
`,
  'views/chore.yaml': `
- { name: ChoreForm, view_type: form, model: Chore, fields: [{ name: title, title: Title }, { name: state, title: State }] }
- name: ChoreBoard
  view_type: list
  model: Chore
  inline_form: ChoreForm
  layout: { board: state }
  fields: [{ name: title, title: Title }]
`,
  'seed/chore.json': JSON.stringify([
    { title: 'Own', state: 'open', owner_id: 2 },
    { title: 'Foreign', state: 'open', owner_id: 1 },
  ]),
  'seed/user.json': JSON.stringify([
    { ...ADMIN, email: 'foreman@example.org', is_superuser: true },
    { ...READER, email: 'visitor@example.org', groups: [1] },
  ]),
  'seed/permission.json': JSON.stringify([{ codename: 'view_task' }, { codename: 'view_chore' }]),
  'seed/group.json': JSON.stringify([{ name: 'Visitors', permissions: [1, 2] }]),
  'seed/task.json': JSON.stringify(TASKS),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

const BOARD = '/models/task?list=TaskBoard'
const lane = (page: Page, name: string): Locator => page.getByRole('region', { name: new RegExp(`^${name}`) })
const titles = (page: Page, name: string) => lane(page, name).locator('.board-name a').allInnerTexts()
const count = (page: Page, name: string) => lane(page, name).locator('.board-count').innerText()
const notice = (page: Page, text: string) => page.locator('.toast-content', { hasText: text })
const card = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

inBrowser(
  'a card is dragged to another column, with Undo; what its form does not offer takes none; totals are by column',
  { as: ADMIN, at: BOARD, widths: [1280] },
  async ({ page, server, checkAccess }) => {
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])
    assert.match(await count(page, 'archived'), /^60/)
    await page.getByRole('button', { name: 'Totals' }).click()
    await page.getByRole('checkbox', { name: 'Sum' }).check()
    await page.keyboard.press('Escape')
    const sum = (name: string) => lane(page, name).locator('.board-totals dd').innerText()
    await assertBecomes(() => sum('To do'), '5')
    await assertBecomes(() => sum('archived'), '60')

    const dragTo = async (name: string, column: string) => {
      const from = await card(page, name).boundingBox()
      const to = await lane(page, column).boundingBox()
      assert.ok(from !== null && to !== null)
      await page.mouse.move(from.x + 20, from.y + 10)
      await page.mouse.down()
      await page.mouse.move(from.x + 60, from.y + 30, { steps: 3 })
      await page.mouse.move(to.x + 60, to.y + 200, { steps: 3 })
    }
    await dragTo('Saw', 'archived')
    await assertBecomes(() => lane(page, 'archived').getAttribute('data-closed'), 'true')
    await page.mouse.up()
    await dragTo('Saw', 'In progress')
    await page.locator('.board-lane[data-over]').waitFor()
    await page.mouse.up()
    await notice(page, 'Saw moved to In progress').waitFor()
    await assertBecomes(() => titles(page, 'In progress'), ['Glue', 'Saw'])
    await assertBecomes(() => sum('To do'), '2')
    assert.doesNotMatch(page.url(), /open=/)
    const tasks = (await apiOf(server, ADMIN)).model('task')
    assert.equal((await tasks.read(1)).data.state, 'doing')
    await page.getByRole('button', { name: 'Undo' }).click()
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])
    await checkAccess()

    await lane(page, 'archived').getByRole('button', { name: 'Show 10 more' }).click()
    await assertBecomes(async () => (await titles(page, 'archived')).length, 60)
    await card(page, 'Saw').click()
    await page.getByRole('dialog', { name: 'Saw' }).getByLabel('Title').waitFor()
    assert.match(page.url(), /open=task\.1/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Saw' }).waitFor({ state: 'detached' })
    await assertBecomes(() => page.evaluate('document.activeElement?.textContent'), 'Saw')
  },
)

inBrowser(
  'a card that is moved again while it is being stored ends where it was moved to last',
  { as: ADMIN, at: BOARD, widths: [1280] },
  async ({ page, server }) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/models/task/3?*', async (route) => {
      await released
      await route.continue()
    })
    await card(page, 'Glue').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await assertBecomes(() => titles(page, 'To do'), ['Glue', 'Plane', 'Saw'])
    await page.keyboard.press('Shift+ArrowRight')
    await assertBecomes(() => titles(page, 'In progress'), ['Glue'])
    release()
    await notice(page, 'Glue moved to In progress').waitFor()
    assert.equal((await (await apiOf(server, ADMIN)).model('task').read(3)).data.state, 'doing')
    await assertBecomes(() => page.locator('.board-card[aria-busy]').count(), 0)
    await assertBecomes(() => titles(page, 'In progress'), ['Glue'])
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])
  },
)

inBrowser(
  'cards are moved by keys and from their menu; what the server refuses goes back, and changes by others stay',
  { as: ADMIN, at: BOARD, allows: ['400 /models/task/2'] },
  async ({ page, server, checkAccess }) => {
    const tasks = (await apiOf(server, ADMIN)).model('task')
    const streaming = page.waitForResponse((response) => response.url().includes('/events'))
    await page.reload()
    await streaming
    await card(page, 'Saw').waitFor()
    const focused = () => page.evaluate<string>('document.activeElement?.textContent')
    await card(page, 'Plane').focus()
    await page.keyboard.press('ArrowDown')
    await assertBecomes(focused, 'Saw')
    await page.keyboard.press('Shift+ArrowRight')
    await notice(page, 'Saw moved to In progress').waitFor()
    await assertBecomes(() => titles(page, 'In progress'), ['Glue', 'Saw'])
    await assertBecomes(focused, 'Saw')
    await page.keyboard.press('Shift+ArrowLeft')
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])
    await assertBecomes(focused, 'Saw')

    // The rule of the form.
    await page.getByRole('button', { name: 'Move Plane' }).click()
    await assertBecomes(() => page.getByRole('menuitem').allInnerTexts(), ['In progress', 'done'])
    await checkAccess()
    await page.getByRole('menuitem', { name: 'done' }).click()
    await notice(page, 'Plane was not moved').waitFor()
    await notice(page, 'Who has done it?').waitFor()
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])

    await tasks.update(1, { state: 'done', owner_id: 1 })
    await assertBecomes(() => titles(page, 'done'), ['Paint', 'Saw'])
    // Without the stream the page does not know of the next change.
    await page.route('**/events*', (route) => route.abort())
    await page.reload()
    await card(page, 'Saw').waitFor()
    await tasks.update(1, { state: 'open', owner_id: null })
    await page.getByRole('button', { name: 'Move Saw' }).click()
    await page.getByRole('menuitem', { name: 'In progress' }).click()
    await notice(page, 'Saw was not moved').waitFor()
    await assertBecomes(() => titles(page, 'To do'), ['Plane', 'Saw'])
    assert.equal((await tasks.read(1)).data.state, 'open')
    // The message of a failure stays until then.
    await page.reload()
    await card(page, 'Saw').waitFor()
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(wider) <= 0, `the page is ${wider} px wider than the window`)
  },
)

inBrowser(
  'without the permission to change, cards are to read; the table of the list is one click away, and a relation has columns',
  { as: READER, at: `${BOARD}&filter=hours__gt%3D1` },
  async ({ page }) => {
    await assertBecomes(() => titles(page, 'In progress'), ['Glue'])
    await assertBecomes(() => titles(page, 'archived'), [])
    assert.equal(await page.getByRole('button', { name: /^Move / }).count(), 0)
    await card(page, 'Glue').focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await assertBecomes(() => titles(page, 'In progress'), ['Glue'])

    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Hours' }).waitFor()
    assert.match(page.url(), /layout=table/)
    await assertBecomes(() => page.locator('tbody tr').count(), 4)
    await page.getByRole('button', { name: 'Board', exact: true }).click()
    await page.getByLabel('Search Task').fill('glue')
    await assertBecomes(() => titles(page, 'To do'), [])
    await assertBecomes(() => titles(page, 'In progress'), ['Glue'])

    await page.getByRole('button', { name: 'Tasks by owner' }).click()
    await page.getByLabel('Search Task').fill('')
    // The user may not view users, whose names stay unknown.
    await assertBecomes(() => titles(page, '#1'), ['Glue'])
    await assertBecomes(() => titles(page, 'None'), ['Paint', 'Plane', 'Saw'])

    // Access rules decide for each record.
    await page.goto('/admin/models/chore')
    await card(page, 'Foreign').waitFor()
    await assertBecomes(() => page.getByRole('button', { name: /^Move / }).count(), 1)
    await card(page, 'Foreign').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await card(page, 'Own').focus()
    await page.keyboard.press('Shift+ArrowRight')
    await notice(page, 'Own moved to done').waitFor()
    await assertBecomes(() => titles(page, 'open'), ['Foreign'])
  },
)
