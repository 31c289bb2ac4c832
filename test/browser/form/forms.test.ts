import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'

const inBrowser = browserSite()

inBrowser(
  'a post is created through every input of its form, and reads back the same',
  { at: '/models/post/new' },
  async ({ page, server }) => {
    await page.getByLabel('Title').fill('A lamp for the north pier')
    await page.getByLabel('Slug').fill('a-lamp-for-the-north-pier')
    await page.getByLabel('Summary').fill('Two lines,\nof which this is one.')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('It was lit on Friday.')
    await choose(page.getByLabel('Status'), 'Published')
    await page.getByLabel('Published at').fill('2026-07-01T10:30')
    await page.getByLabel('Featured on the front page').check()
    await page.getByLabel('Date of the event').fill('2026-07-02')
    await page.getByLabel('Publication time').fill('08:05')
    await page.getByLabel('Languages').click()
    await page.getByRole('option', { name: 'de', exact: true }).click()
    await page.getByRole('option', { name: 'fr', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Author').click()
    await page.getByRole('combobox', { name: 'Search' }).fill('anna')
    await page.getByRole('option', { name: 'anna.lind', exact: true }).click()
    await page.getByText('Figures').click()
    await page.getByLabel('Rating').fill('4.25')
    await page.getByLabel('Metadata').fill('{"lamp": [1, 2]}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()

    await page.getByRole('heading', { name: 'A lamp for the north pier' }).waitFor()
    await page.getByText('Created “A lamp for the north pier”').waitFor()
    const id = Number(/\/models\/post\/(\d+)$/.exec(page.url())?.[1])
    const { data } = await (await apiOf(server)).model('post').read(id)
    const expected = {
      title: 'A lamp for the north pier',
      slug: 'a-lamp-for-the-north-pier',
      summary: 'Two lines,\nof which this is one.',
      body: 'It was lit on Friday.',
      status: 'published',
      // Berlin is two hours ahead of UTC in July.
      published_at: '2026-07-01T08:30:00.000Z',
      is_featured: true,
      event_date: '2026-07-02',
      publish_time: '08:05:00',
      languages: ['de', 'fr'],
      author_id: 3,
      rating: 4.25,
      metadata: { lamp: [1, 2] },
    }
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(data[name], value, name)

    await page.reload()
    await assertBecomes(() => page.getByLabel('Published at').inputValue(), '01/07/2026, 10:30')
    await assertBecomes(() => page.getByLabel('Publication time').inputValue(), '08:05')
    await assertBecomes(() => page.getByLabel('Featured on the front page').isChecked(), true)
    await assertBecomes(() => page.getByLabel('Status').innerText(), 'Published')
    await page.getByText('Figures').click()
    await assertBecomes(() => page.getByLabel('Rating').inputValue(), '4.25')
    assert.deepEqual(JSON.parse(await page.getByLabel('Metadata').inputValue()), { lamp: [1, 2] })
  },
)

inBrowser(
  'messages of the server stand at their inputs, others above, and the first faulty input has the focus',
  { at: '/models/post/new', allows: ['400 /models/post'] },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Title').fill('A title')
    await page.getByLabel('Rating').waitFor({ state: 'hidden' })
    await page.getByText('Figures').click()
    await page.getByLabel('Rating').fill('9')
    await page.getByText('Figures').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const slug = page.getByLabel('Slug')
    await page.locator('.field-errors').getByText('Slug is mandatory').waitFor()
    await assertBecomes(() => page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field"), 'slug')
    const described = await slug.getAttribute('aria-describedby')
    assert.match(described ?? '', /-errors/)
    await assertBecomes(() => slug.getAttribute('aria-invalid'), 'true')
    // The help stays beside the message, and both are read out with the input.
    const texts = await page.evaluate(
      `${JSON.stringify((described ?? '').split(' '))}.map((id) => document.getElementById(id)?.textContent)`,
    )
    assert.deepEqual(texts, ['Lower-case letters, digits and hyphens; the last part of the address', 'Slug is mandatory'])
    // The folded group with a fault unfolds.
    await page.locator('.field-errors').getByText('Rating must be less than or equal to 5').waitFor()
    await checkAccess()
    await slug.fill('Not a slug')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('A text')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.field-errors').getByText('Slug format is invalid').waitFor()
  },
)

inBrowser(
  'a text that is no JSON hides no other fault of a form, and nothing is stored',
  { at: '/models/post/new', allows: ['400 /models/post?dry_run=true'] },
  async ({ page, checkAccess }) => {
    await page.getByLabel('Title').fill('A title')
    await page.getByText('Figures').click()
    await page.getByLabel('Metadata').fill('{"lamp": }')
    await page.getByLabel('Rating').fill('9')
    const sent = page.waitForRequest((each) => each.method() === 'POST' && each.url().includes('/models/post'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    assert.equal(new URL((await sent).url()).searchParams.get('dry_run'), 'true')
    await page.locator('.field-errors').getByText('Slug is mandatory').waitFor()
    await page.locator('.field-errors').getByText('Rating must be less than or equal to 5').waitFor()
    await page.locator('.field-errors').getByText('This is not valid JSON: line 1, column 10.').waitFor()
    await checkAccess()
    // Each message above the form leads to its field, also in a folded group.
    const summary = page.getByRole('alert')
    await page.getByText('Figures').click()
    await summary.getByRole('link', { name: /not valid JSON/ }).click()
    await assertBecomes(() => page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field"), 'metadata')
    await assertBecomes(() => page.getByLabel('Rating').isVisible(), true)
    await summary.getByRole('link', { name: 'Slug is mandatory' }).click()
    await assertBecomes(() => page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field"), 'slug')
    // A mended input is no longer named.
    await page.getByLabel('Metadata').fill('{}')
    await summary.getByRole('link', { name: /not valid JSON/ }).waitFor({ state: 'detached' })
  },
)

inBrowser(
  'a message for a field that the form only shows stands above the form',
  { at: '/models/post/45?form=PostQuickEditForm', allows: ['400 /models/post/'] },
  async ({ page, server }) => {
    const posts = (await apiOf(server)).model('post')
    const { data } = await posts.list({ filters: { status: 'draft', published_at: null }, page_size: 1 })
    const draft = data[0]
    assert.ok(draft !== undefined)
    await page.goto(`/admin/models/post/${draft.id}?form=PostQuickEditForm`)
    await choose(page.getByLabel('Status'), 'Published')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('alert').getByText('Published at: A published post needs a publication date').waitFor()
    assert.equal(await page.getByLabel('Summary').count(), 0)
  },
)

inBrowser('only changed fields are sent, by the keys of the form', { at: '/models/post/5' }, async ({ page }) => {
  await page.getByLabel('Title').fill('Another title')
  const request = page.waitForRequest((each) => each.method() === 'PUT')
  await page.keyboard.press('Control+s')
  assert.deepEqual((await request).postDataJSON(), { data: { title: 'Another title' }, form_id: 'PostForm' })
  assert.ok((await request).headers()['if-match'])
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('heading', { name: 'Another title' }).waitFor()
})

inBrowser('a field that is not displayed is not sent', { at: '/models/post/new' }, async ({ page }) => {
  await page.getByLabel('Title').fill('Hidden dates')
  await page.getByLabel('Slug').fill('hidden-dates')
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Text')
  await page.getByLabel('Author').click()
  await page.getByRole('option', { name: 'admin', exact: true }).click()
  await page.getByLabel('Published at').waitFor({ state: 'detached' })
  await choose(page.getByLabel('Status'), 'Published')
  await page.getByLabel('Published at').fill('2026-01-01T00:00')
  await choose(page.getByLabel('Status'), 'Draft')
  await page.getByLabel('Published at').waitFor({ state: 'detached' })
  const request = page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/models/post'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const { data } = (await request).postDataJSON() as { data: object }
  assert.equal('published_at' in data, false)
  await page.getByRole('heading', { name: 'Hidden dates' }).waitFor()
})

inBrowser('passwords are never shown; an empty one stays as it is', { at: '/models/user/new' }, async ({ page, server }) => {
  await page.getByLabel('Username').fill('new.user')
  await page.getByLabel('E-mail').fill('new.user@example.org')
  const password = page.getByRole('textbox', { name: 'Password', exact: true })
  await assertBecomes(() => password.getAttribute('type'), 'password')
  await password.fill('a-long-password')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'new.user' }).waitFor()
  // The form does not accept a password in an update.
  await assertBecomes(() => page.locator('[data-field=password]').count(), 0)
  await apiOf(server, { username: 'new.user', password: 'a-long-password' })
})

inBrowser('“Save and add another” starts over with the next record', { at: '/models/group/new' }, async ({ page }) => {
  await page.getByLabel('Name').fill('Divers')
  await page.getByRole('button', { name: 'Save and add another' }).click()
  await page.getByText('Created “Divers”').waitFor()
  await assertBecomes(() => page.getByLabel('Name').inputValue(), '')
  await assertBecomes(() => page.evaluate("document.activeElement.closest('[data-field]')?.dataset.field"), 'name')
  assert.match(page.url(), /\/new$/)
})

inBrowser('a model without views has a generated form', { at: '/models/permission/1' }, async ({ page, server }) => {
  await page.getByLabel('Description').fill('Opens the list of posts')
  const request = page.waitForRequest((each) => each.method() === 'PUT')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  // The server does not know a generated form by name.
  assert.deepEqual((await request).postDataJSON(), { data: { description: 'Opens the list of posts' } })
  await page.getByText('Saved', { exact: true }).waitFor()
  const { data } = await (await apiOf(server)).model('permission').read(1)
  assert.equal(data.description, 'Opens the list of posts')
})

inBrowser('the id of a record stands among its facts only', { at: '/models/tag/1' }, async ({ page }) => {
  await page.getByLabel('Name').waitFor()
  await assertBecomes(() => page.getByRole('main').getByText('ID', { exact: true }).count(), 1)
})
