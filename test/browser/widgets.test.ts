import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { browserSite } from '../helpers/browser.ts'
import { apiOf } from '../helpers/browser-api.ts'

/** A model with each widget on each kind of field that the widgets of `fixtures/blog` leave out. */
const FIELDS: readonly (readonly [name: string, field: string, widget: string, options?: string])[] = [
  ['name', 'type: string, required: true', 'text'],
  ['mail', 'type: email', 'email'],
  ['site', 'type: url', 'url'],
  ['colour', 'type: string', 'color'],
  ['amount', 'type: decimal, decimal_places: 3', 'number'],
  ['level', 'type: integer, gte: 0, lte: 10', 'range'],
  ['active', 'type: boolean', 'switch'],
  ['listed', 'type: boolean', 'toggle'],
  ['answered', 'type: boolean', 'select'],
  ['size', 'type: choice, choices: [small, large]', 'radio', 'labels: { small: Rather small }'],
  ['code', 'type: string', 'select', 'choices: [a, b]'],
  ['town', 'type: string', 'autocomplete', 'choices: [Bergen, Oslo]'],
  ['days', 'type: multichoice, choices: [mon, tue, wed]', 'checkboxes'],
  ['parts', 'type: multichoice, choices: [bow, stern]', 'tags'],
  ['words', 'type: json', 'tags'],
  ['data', 'type: json', 'json'],
  ['secret', 'type: password', 'password'],
  ['owner_id', 'type: foreignkey, model: user', 'autocomplete', ''],
  ['others', 'type: many_to_many, model: user', 'multiselect', ''],
  ['mark', 'type: uuid', 'text'],
  ['own', 'type: string', 'x-own-widget'],
]

const project = mkdtempSync(join(tmpdir(), 'admin-widgets-'))
after(() => rmSync(project, { recursive: true, force: true }))
for (const folder of ['models', 'views', 'seed']) mkdirSync(join(project, folder))
const list = (lines: readonly string[]) => lines.map((line) => `  - { ${line} }\n`).join('')
const names = FIELDS.map(([name]) => name).join(', ')
writeFileSync(
  join(project, 'models/thing.yaml'),
  `name: Thing\ndisplay_field: name\nfields:\n${list(FIELDS.map(([name, field]) => `name: ${name}, ${field}`))}`,
)
const views = FIELDS.map(([name, , widget, options = '']) => {
  const user = name === 'owner_id' ? ', default_value: { user: id }' : ''
  return `name: ${name}, title: The ${name}, widget: ${widget}${user}${options === '' ? '' : `, options: { ${options} }`}`
})
writeFileSync(
  join(project, 'views/thing.yaml'),
  `name: ThingForm\nview_type: form\nmodel: Thing\nfields:\n${list(views)}creation_fields: [${names}]\nallowed_update_fields: [${names}]\n`,
)
writeFileSync(
  join(project, 'seed/user.yaml'),
  ['admin', 'ben']
    .map(
      (name) =>
        `- { username: ${name}, email: ${name}@example.org, password: harbour-admin-2024, is_superuser: ${name === 'admin'} }\n`,
    )
    .join(''),
)

const inBrowser = browserSite({ project })

inBrowser(
  'every widget saves what is entered, and reads it back',
  { at: '/models/thing/new' },
  async ({ page, server, checkAccess }) => {
    await page.getByLabel('The name').fill('A thing')
    await page.getByLabel('The mail').fill('a@example.org')
    await page.getByLabel('The site').fill('https://example.org')
    await page.getByRole('textbox', { name: 'The colour', exact: true }).fill('#1f6f8b')
    // Letters are refused; a comma is a point.
    await page.getByLabel('The amount').pressSequentially('x12,500y')
    assert.equal(await page.getByLabel('The amount').inputValue(), '12.500')
    await page.getByRole('slider', { name: 'The level' }).fill('7')
    assert.equal(await page.getByRole('textbox', { name: 'The level' }).inputValue(), '7')
    await page.getByRole('switch', { name: 'The active' }).check()
    await page.getByLabel('The answered').selectOption('No')
    await page.getByRole('radio', { name: 'Rather small' }).check()
    await page.getByLabel('The code').selectOption('b')
    await page.getByLabel('The town').fill('Bergen')
    await page.getByRole('checkbox', { name: 'tue' }).check()
    await page.getByRole('checkbox', { name: 'mon' }).check()
    await page.getByLabel('The parts').click()
    await page.getByRole('option', { name: 'stern' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('The words').pressSequentially('one,two,')
    await page.getByLabel('The data').fill('{"a": {"b": [true, null]}}')
    await page.getByRole('textbox', { name: 'The secret' }).fill('not-to-be-seen')
    await page.getByLabel('The others').click()
    await page.getByRole('option', { name: 'ben' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('The mark').fill('0190f5ba-5d1c-7c3e-8f4e-3a2d5b7c9e10')
    await page.getByLabel('The own', { exact: true }).fill('As text')
    await checkAccess()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'A thing' }).waitFor()
    const things = (await apiOf(server)).model('thing')
    const { data } = await things.read(Number(page.url().split('/').at(-1)))
    const expected = {
      mail: 'a@example.org',
      site: 'https://example.org',
      colour: '#1f6f8b',
      amount: '12.5',
      level: 7,
      active: true,
      listed: false,
      answered: false,
      size: 'small',
      code: 'b',
      town: 'Bergen',
      days: ['mon', 'tue'],
      parts: ['stern'],
      words: ['one', 'two'],
      data: { a: { b: [true, null] } },
      owner_id: 1,
      others: [{ id: 2, username: 'ben' }],
      mark: '0190f5ba-5d1c-7c3e-8f4e-3a2d5b7c9e10',
      own: 'As text',
    }
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(data[name], value, name)

    await page.reload()
    assert.equal(await page.getByRole('textbox', { name: 'The secret' }).inputValue(), '')
    assert.equal(await page.getByRole('radio', { name: 'Rather small' }).isChecked(), true)
    assert.equal(await page.getByRole('checkbox', { name: 'wed' }).isChecked(), false)
    assert.equal(await page.getByLabel('The amount').inputValue(), '12.5')
    await page.getByLabel('The owner_id').getByText('admin').waitFor()
    await page.getByRole('button', { name: 'Remove admin' }).click()
    await page.getByLabel('The answered').selectOption('—')
    const request = page.waitForRequest((each) => each.method() === 'PUT')
    await page.keyboard.press('Control+Enter')
    // An empty password stays as it is; null empties a field.
    assert.deepEqual((await request).postDataJSON(), { data: { owner_id: null, answered: null }, form_id: 'ThingForm' })
    await page.getByText('Saved', { exact: true }).waitFor()
  },
)

inBrowser(
  'the JSON editor names the line and column of a fault, jumps there, and saves nothing until it is mended',
  { at: '/models/thing/new' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('The name').fill('JSON')
    const editor = page.getByLabel('The data')
    await editor.fill('{\n  "a": 1,\n  "b": oops\n}')
    await page.getByText('This is not JSON: fault in line 3, column 8.').waitFor()
    assert.equal(await editor.getAttribute('aria-invalid'), 'true')
    await checkAccess()
    let writes = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/models/thing')) writes++
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('One field needs your attention.').waitFor()
    assert.equal(writes, 0)
    await page.getByRole('button', { name: 'Go to the fault' }).click()
    assert.equal(
      await page.evaluate('document.activeElement.value.slice(document.activeElement.selectionStart).slice(0, 4)'),
      'oops',
    )
    await editor.fill('{"a":1}')
    await page.getByRole('button', { name: 'Format' }).click()
    assert.equal(await editor.inputValue(), '{\n  "a": 1\n}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'JSON' }).waitFor()
    assert.equal(writes, 1)
  },
)
