import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { BARE_ACCOUNTS } from '../../helpers/bare-project.ts'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { stayAfter } from '../../helpers/browser-leaving.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const { superuser, visitor: editor } = BARE_ACCOUNTS
const post = (title: string, status = 'draft') => ({ title, status })
const task = (name: string) => ({ model: 'Task', name, set: { state: name } })

const project = await makeProject({
  'models/post.yaml': `name: Post
label: Posts
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: status, type: choice, choices: [{ value: draft, label: Draft }, { value: published, label: Published }, { value: rejected, label: Rejected }] }
  - { name: rating, type: decimal, decimal_places: 1 }
`,
  'models/comment.yaml': `name: Comment
display_field: text
fields: [{ name: text, type: string }, { name: post_id, type: foreignkey, model: post }]
`,
  'models/task.yaml': 'name: Task\ndisplay_field: name\nfields: [{ name: name, type: string }, { name: state, type: string }]\n',
  'actions/post.yaml': `
- model: Post
  name: publish
  confirm: Publish {count} posts?
  when: self.status == "draft"
  set: { status: published }
- model: Post
  name: rate
  on: record
  input: [{ name: points, type: decimal, decimal_places: 1, required: true, lte: 5, label: Points }]
  set: { rating: { input: points } }
- { model: Post, name: reject, tone: danger, set: { status: rejected } }
`,
  'actions/fetch.js': `import { defineAction, defineModel } from 'admin-folder'
const Post = defineModel({ name: 'Post', fields: [{ name: 'title', type: 'string' }] })
export default defineAction(Post, {
  name: 'fetch',
  on: 'model',
  run(_, tx) {
    tx.model('post').create({ title: 'Fetched' })
    return 'A post has arrived'
  },
})
`,
  'actions/task.json': JSON.stringify(['open', 'close', 'park', 'drop'].map(task)),
  'views/post.yaml': `- { name: PostForm, view_type: form, model: Post, fields: [{ name: title }, { name: status }, { name: rating }] }
- name: PostList
  view_type: list
  model: Post
  fields: [{ name: title }]
  actions: [reject, publish, fetch]
`,
  'views/comment.yaml':
    '{ name: CommentForm, view_type: form, model: Comment, fields: [{ name: text }, { name: post_id, widget: relation }] }\n',
  'roles/editors.yaml': 'name: Editors\npermissions: [view_post, publish_post]\n',
  'seed/user.json': JSON.stringify([
    { ...superuser, email: 'admin@example.org', is_superuser: true },
    { ...editor, email: 'editor@example.org', groups: [1] },
  ]),
  'seed/post.json': JSON.stringify([
    ...[post('First'), post('Second'), post('Third'), post('Fourth'), post('Fifth', 'published'), post('Sixth')],
  ]),
  'seed/comment.json': JSON.stringify([{ text: 'Good', post_id: 6 }]),
  'seed/task.json': JSON.stringify([{ name: 'Sweep' }]),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name, exact: true })

const names = (within: Locator) => within.getByRole('button').allInnerTexts()

/** Numbers of the requests that perform actions. */
const actionsOf = (page: Page): string[] => {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/actions/')) sent.push(request.url())
  })
  return sent
}

inBrowser(
  'an action of a record asks, is performed once, and the record shows the new state and why it is no longer possible',
  { as: superuser, at: '/models/post/1', widths: [1280] },
  async ({ page, checkAccess }) => {
    const sent = actionsOf(page)
    await page.getByLabel('Title').fill('First, typed')
    await button(page, 'Publish').click()
    const dialog = page.getByRole('dialog', { name: 'Publish', exact: true })
    await dialog.getByText('Publish 1 posts?').waitFor()
    await checkAccess()
    await button(dialog, 'Publish').dblclick()
    await page.getByText('Publish: 1 record', { exact: true }).waitFor()
    const refused = button(page, 'Publish. Not possible: Status is Published')
    await refused.waitFor()
    await assertBecomes(() => refused.getAttribute('aria-disabled'), 'true')
    await assertBecomes(() => page.locator('[data-field=status]').getByText('Published').count(), 1)
    // What is typed is neither lost nor taken for a change by others.
    await assertBecomes(() => page.getByLabel('Title').inputValue(), 'First, typed')
    assert.equal(await page.getByText('changed elsewhere').count(), 0)
    await button(page, 'Reject').click()
    await page.getByText('Reject: 1 record', { exact: true }).waitFor()
    await page.locator('[data-field=status]').getByText('Rejected').waitFor()
    assert.match((await button(page, 'Reject').getAttribute('class')) ?? '', /button-danger/)
    assert.equal(sent.length, 2)
    await checkAccess()
  },
)

inBrowser(
  'the input of an action is asked for, with messages at the inputs',
  { as: superuser, at: '/models/post/2', widths: [1280], allows: ['400 /actions/rate'] },
  async ({ page, server, checkAccess }) => {
    await button(page, 'Rate').click()
    const dialog = page.getByRole('dialog', { name: 'Rate', exact: true })
    const points = dialog.getByLabel('Points')
    await points.press('Enter')
    await dialog.locator('[data-field=points]').getByText('Points is mandatory').waitFor()
    await assertBecomes(() => points.getAttribute('aria-invalid'), 'true')
    await points.fill('7')
    await button(dialog, 'Rate').click()
    await dialog
      .locator('[data-field=points]')
      .getByText(/less than or equal to 5/)
      .waitFor()
    await checkAccess()
    await points.fill('4.5')
    await stayAfter(
      page,
      () => points.press('Escape'),
      () => button(dialog, 'Cancel').click(),
    )
    await points.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.locator('[data-field=rating] input').and(page.locator('[value="4.5"]')).waitFor()
    assert.equal((await (await apiOf(server, superuser)).model('post').read(2)).data.rating, '4.5')
  },
)

inBrowser(
  'actions of a selection and of the model stand in the order of the list view, and change the list',
  { as: superuser, at: '/models/post', widths: [1280] },
  async ({ page, server, checkAccess }) => {
    const selection = page.getByRole('region', { name: 'Selection' })
    await page.getByLabel('Select Third').check()
    await page.getByLabel('Select Fifth').check()
    await button(selection, 'Publish. Not possible for 1 of the 2 selected records').waitFor()
    assert.deepEqual(
      (await names(selection)).filter((name) => ['Reject', 'Publish', 'Rate', 'Fetch'].includes(name)),
      ['Reject', 'Publish'],
    )
    await checkAccess()
    await page.getByLabel('Select Fifth').uncheck()
    await page.getByLabel('Select Fourth').check()
    await button(selection, 'Publish').click()
    const dialog = page.getByRole('dialog', { name: 'Publish', exact: true })
    await dialog.getByText('Publish 2 posts?').waitFor()
    await button(dialog, 'Publish').click()
    await page.getByText('Publish: 2 records', { exact: true }).waitFor()
    await selection.waitFor({ state: 'detached' })
    const posts = (await apiOf(server, superuser)).model('post')
    assert.equal((await posts.read(4)).data.status, 'published')
    await button(page.locator('.page-header'), 'Fetch').click()
    await page.getByText('A post has arrived', { exact: true }).waitFor()
    await page.locator('tbody').getByText('Fetched').waitFor()
  },
)

inBrowser(
  'an action without the permission has no button',
  { as: editor, at: '/models/post/5', widths: [1280] },
  async ({ page }) => {
    await button(page, /^Publish/).waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Rate|Reject)/ }).count(), 0)
    await page.goto('/admin/models/post')
    await page.getByLabel('Select Fifth').check()
    await page
      .getByRole('region', { name: 'Selection' })
      .getByRole('button', { name: /^Publish/ })
      .waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Fetch|Reject)/ }).count(), 0)
  },
)

inBrowser(
  'four actions are a menu, and the palette offers those of the open record',
  { as: superuser, at: '/models/task/1', widths: [1280] },
  async ({ page, checkAccess }) => {
    await button(page, 'Actions').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Drop' }).waitFor()
    await checkAccess()
    await page.keyboard.press('c')
    await page.keyboard.press('Enter')
    await page.getByText('Close: 1 record', { exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('park')
    await page.getByRole('option', { name: 'Park' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Park: 1 record', { exact: true }).waitFor()
    await page.locator('[data-field=state] input').and(page.locator('[value=park]')).waitFor()
  },
)

inBrowser(
  'a drawer has the actions of its record; on a phone they are a menu that says why one is not possible',
  { as: superuser, at: '/models/comment/1?open=post.6', widths: [360] },
  async ({ page, checkAccess }) => {
    const drawer = page.getByRole('dialog', { name: 'Sixth' })
    await button(drawer, 'Actions').click()
    await page.getByRole('menuitem', { name: 'Publish' }).click()
    await button(page.getByRole('dialog', { name: 'Publish', exact: true }), 'Publish').click()
    await page.getByText('Publish: 1 record', { exact: true }).waitFor()
    await button(drawer, 'Actions').click()
    const refused = page.getByRole('menuitem', { name: 'Publish Not possible: Status is Published' })
    await refused.waitFor()
    await assertBecomes(() => refused.getAttribute('aria-disabled'), 'true')
    await checkAccess()
  },
)
