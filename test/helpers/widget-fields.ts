import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { choose } from './browser-typing.ts'

/** A field of a test project with its widget: how a value is entered, stored, and shown again. */
export interface WidgetField {
  readonly name: string
  /** Type and options of the field of the model, in YAML. */
  readonly field: string
  readonly widget: string
  /** Options of the field of the view, in YAML. */
  readonly options?: string
  /** More keys of the field of the view, in YAML. */
  readonly more?: string
  readonly enter: (page: Page, label: string) => Promise<void>
  /** What the API answers; undefined for a value that is never answered. */
  readonly stored: unknown
  /** Fails unless the form shows the stored value. */
  readonly shown: (page: Page, label: string) => Promise<void>
}

type Steps = Pick<WidgetField, 'enter' | 'stored' | 'shown'>

/** The input with a label, which has a star for a required one. */
export const inputOf = (page: Page, label: string): Locator => page.getByLabel(new RegExp(`^${label}\\*?$`))

const valueIs = async (page: Page, label: string, value: string) =>
  assert.equal(await inputOf(page, label).inputValue(), value, label)

/** A text is typed. */
const typed = (text: string, stored: unknown = text, shown = text): Steps => ({
  enter: (page, label) => inputOf(page, label).fill(text),
  stored,
  shown: (page, label) => valueIs(page, label, shown),
})

/** An option of a select is chosen. */
const selected = (option: string, stored: unknown): Steps => ({
  enter: (page, label) => choose(inputOf(page, label), option),
  stored,
  shown: async (page, label) => assert.equal(await inputOf(page, label).innerText(), option),
})

/** A box or switch is turned on. */
const checked: Steps = {
  enter: (page, label) => inputOf(page, label).check(),
  stored: true,
  shown: async (page, label) => {
    assert.equal(await page.getByRole('switch', { name: label }).isChecked(), true, label)
    await page
      .locator('.field', { has: inputOf(page, label) })
      .getByText('Yes', { exact: true })
      .waitFor()
  },
}

/** Boxes or radio buttons that are visible at once. */
const boxes = (role: 'checkbox' | 'radio', names: readonly string[], stored: unknown): Steps => {
  const all = (page: Page, label: string) =>
    names.map((name) => page.getByRole(role === 'radio' ? 'radiogroup' : 'group', { name: label }).getByRole(role, { name }))
  return {
    enter: async (page, label) => {
      for (const box of all(page, label)) await box.check()
    },
    stored,
    shown: async (page, label) => {
      for (const box of all(page, label)) assert.equal(await box.isChecked(), true, label)
    },
  }
}

/** An option of a popup is chosen. */
const picked = (option: string, stored: unknown): Steps => ({
  enter: async (page, label) => {
    await inputOf(page, label).click()
    await page.getByRole('option', { name: option }).click()
    // A list of several values stays open.
    if (Array.isArray(stored)) await page.keyboard.press('Escape')
    await page.getByRole('option', { name: option }).waitFor({ state: 'detached' })
  },
  stored,
  shown: async (page, label) => {
    const place = page.locator('.field', { has: inputOf(page, label) })
    await place.getByText(option, { exact: true }).waitFor()
  },
})

const jsonTyped: Steps = {
  ...typed('{"a": {"b": [true, null]}}', { a: { b: [true, null] } }),
  shown: async (page, label) => assert.deepEqual(JSON.parse(await inputOf(page, label).inputValue()), { a: { b: [true, null] } }),
}

const BEN = { id: 2, username: 'ben' }

/**
 * Each field type with each widget that `fixtures/blog` or the page knows for it. A test compares the pairs with the forms of the fixture and
 * with the types of the product.
 */
export const WIDGET_FIELDS: readonly WidgetField[] = [
  { name: 'name', field: 'type: string, required: true', widget: 'text', ...typed('A thing') },
  { name: 'short', field: 'type: string', widget: 'textarea', ...typed('Two lines,\nof which this is one.') },
  { name: 'colour', field: 'type: string', widget: 'color', ...typed('#1f6f8b') },
  { name: 'code', field: 'type: string', widget: 'select', options: 'choices: [a, b]', ...selected('b', 'b') },
  { name: 'town', field: 'type: string', widget: 'autocomplete', options: 'choices: [Bergen, Oslo]', ...typed('Bergen') },
  { name: 'own', field: 'type: string', widget: 'x-own-widget', ...typed('As text') },
  { name: 'body', field: 'type: text', widget: 'textarea', ...typed('A text') },
  { name: 'essay', field: 'type: text', widget: 'markdown', ...typed('A **text**') },
  { name: 'row', field: 'type: text', widget: 'text', ...typed('A text in one line') },
  { name: 'mail', field: 'type: email', widget: 'email', ...typed('a@example.org') },
  { name: 'mailbox', field: 'type: email', widget: 'text', ...typed('b@example.org') },
  { name: 'site', field: 'type: url', widget: 'url', ...typed('https://example.org') },
  { name: 'link', field: 'type: url', widget: 'text', ...typed('https://example.org/a') },
  { name: 'part', field: 'type: slug', widget: 'text', ...typed('a-thing') },
  {
    name: 'secret',
    field: 'type: password',
    widget: 'password',
    ...typed('not-to-be-seen', null, ''),
    stored: undefined,
    enter: (page, label) => page.getByRole('textbox', { name: label }).fill('not-to-be-seen'),
  },
  { name: 'count', field: 'type: integer', widget: 'number', ...typed('12', 12) },
  {
    name: 'level',
    field: 'type: integer, gte: 0, lte: 10',
    widget: 'range',
    ...typed('', 7),
    enter: (page, label) => page.getByRole('slider', { name: label }).fill('7'),
    shown: async (page, label) => assert.equal(await page.getByRole('textbox', { name: label }).inputValue(), '7'),
  },
  { name: 'ratio', field: 'type: number', widget: 'number', ...typed('4.25', 4.25) },
  {
    name: 'amount',
    field: 'type: decimal, decimal_places: 3',
    widget: 'number',
    ...typed('', '12.5', '12.500'),
    // What can be read in two ways, and what is no number, is refused at the field.
    enter: async (page, label) => {
      await inputOf(page, label).fill('1,234')
      await inputOf(page, label).blur()
      await valueIs(page, label, '1234.000')
      await inputOf(page, label).fill('12.5.3')
      await page.getByText('This is not a number.', { exact: true }).waitFor()
      await inputOf(page, label).fill('12.500')
      await valueIs(page, label, '12.500')
    },
  },
  { name: 'open', field: 'type: boolean', widget: 'checkbox', ...checked },
  { name: 'active', field: 'type: boolean', widget: 'switch', ...checked },
  { name: 'listed', field: 'type: boolean', widget: 'toggle', ...checked },
  { name: 'answered', field: 'type: boolean', widget: 'select', ...selected('No', false) },
  { name: 'day', field: 'type: date', widget: 'date', ...typed('2/7/2026', '2026-07-02', '02/07/2026') },
  { name: 'hour', field: 'type: time', widget: 'time', ...typed('8:05', '08:05:00', '08:05') },
  // Berlin, the time zone of the browser, is two hours ahead of UTC in July.
  {
    name: 'moment',
    field: 'type: datetime',
    widget: 'datetime',
    ...typed('1/7/2026 10:30', '2026-07-01T08:30:00.000Z', '01/07/2026, 10:30'),
  },
  { name: 'state', field: 'type: choice, choices: [draft, done]', widget: 'select', ...selected('done', 'done') },
  {
    name: 'size',
    field: 'type: choice, choices: [small, large]',
    widget: 'radio',
    options: 'labels: { small: Rather small }',
    ...boxes('radio', ['Rather small'], 'small'),
  },
  {
    name: 'days',
    field: 'type: multichoice, choices: [mon, tue, wed]',
    widget: 'checkboxes',
    // The value keeps the order of the choices.
    ...boxes('checkbox', ['tue', 'mon'], ['mon', 'tue']),
  },
  { name: 'parts', field: 'type: multichoice, choices: [bow, stern]', widget: 'tags', ...picked('stern', ['stern']) },
  { name: 'langs', field: 'type: multichoice, choices: [en, de]', widget: 'multiselect', ...picked('de', ['de']) },
  {
    name: 'words',
    field: 'type: json',
    widget: 'tags',
    enter: (page, label) => inputOf(page, label).pressSequentially('one,two,'),
    stored: ['one', 'two'],
    shown: (page) => page.getByRole('button', { name: 'Remove two' }).waitFor(),
  },
  { name: 'data', field: 'type: json', widget: 'json', ...jsonTyped },
  { name: 'mark', field: 'type: uuid', widget: 'text', ...typed('0190f5ba-5d1c-7c3e-8f4e-3a2d5b7c9e10') },
  {
    name: 'owner_id',
    field: 'type: foreignkey, model: user',
    widget: 'autocomplete',
    more: 'default_value: { user: id }',
    ...picked('admin', 1),
    // The user who creates the record is chosen from the start.
    enter: (page, label) => inputOf(page, label).getByText('admin').waitFor(),
  },
  { name: 'writer_id', field: 'type: foreignkey, model: user', widget: 'relation', ...picked('ben', 2) },
  { name: 'partner_id', field: 'type: one_to_one, model: user', widget: 'relation', ...picked('ben', 2) },
  { name: 'others', field: 'type: many_to_many, model: user', widget: 'multiselect', ...picked('ben', [BEN]) },
  { name: 'readers', field: 'type: many_to_many, model: user', widget: 'tags', ...picked('ben', [BEN]) },
]

/** Files of a project with a model `Thing` that has these fields, and a form for them. Two users can log in. */
export function widgetProject(): Readonly<Record<string, string>> {
  const list = (lines: readonly string[]) => lines.map((line) => `  - { ${line} }\n`).join('')
  const names = WIDGET_FIELDS.map(({ name }) => name).join(', ')
  const fields = WIDGET_FIELDS.map(({ name, field }) => `name: ${name}, ${field}`)
  const views = WIDGET_FIELDS.map(({ name, widget, options, more }) =>
    [`name: ${name}, title: The ${name}, widget: ${widget}`, more, options && `options: { ${options} }`]
      .filter(Boolean)
      .join(', '),
  )
  const users = ['admin', 'ben'].map(
    (name) =>
      `- { username: ${name}, email: ${name}@example.org, password: harbour-admin-2024, is_superuser: ${name === 'admin'} }\n`,
  )
  return {
    'models/thing.yaml': `name: Thing\ndisplay_field: name\nfields:\n${list(fields)}`,
    'views/thing.yaml': `name: ThingForm\nview_type: form\nmodel: Thing\nfields:\n${list(views)}creation_fields: [${names}]\nallowed_update_fields: [${names}]\n`,
    'seed/user.yaml': users.join(''),
  }
}
