import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { FIELD_TYPE_NAMES } from '../../../src/model/definition.ts'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'
import { WIDGET_FIELDS, widgetProject } from '../../helpers/widget-fields.ts'

const project = mkdtempSync(join(tmpdir(), 'admin-widgets-'))
after(() => rmSync(project, { recursive: true, force: true }))
for (const [name, content] of Object.entries(widgetProject())) {
  mkdirSync(dirname(join(project, name)), { recursive: true })
  writeFileSync(join(project, name), content)
}

const inBrowser = browserSite({ project })
const inFixture = browserSite()

const labelled = WIDGET_FIELDS.map((field) => ({ ...field, label: `The ${field.name}` }))

inBrowser(
  'every widget saves what is entered, and reads it back',
  { at: '/models/thing/new' },
  async ({ page, server, checkAccess }) => {
    for (const { enter, label } of labelled) await enter(page, label)
    await checkAccess()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'A thing' }).waitFor()
    const things = (await apiOf(server)).model('thing')
    const { data } = await things.read(Number(page.url().split('/').at(-1)))
    for (const { name, stored } of labelled) assert.deepEqual(data[name], stored, name)

    await page.reload()
    for (const { shown, label } of labelled) await shown(page, label)
    await assertBecomes(() => page.getByRole('checkbox', { name: 'wed' }).isChecked(), false)
    await page.getByLabel('The owner_id').locator('..').getByRole('button', { name: 'Remove admin' }).click()
    await choose(page.getByLabel('The answered'), '—')
    const request = page.waitForRequest((each) => each.method() === 'PUT')
    await page.keyboard.press('Control+Enter')
    // An empty password stays as it is; null empties a field. What was only read back is not sent.
    assert.deepEqual((await request).postDataJSON(), { data: { owner_id: null, answered: null }, form_id: 'ThingForm' })
    await page.getByText('Saved', { exact: true }).waitFor()
  },
)

/** Types of which `files.test.ts` speaks. */
const FILES: ReadonlySet<string> = new Set(['file', 'image'])

const ONCE = { widths: [1280] } as const

inFixture('the widgets above include those of every form of the fixture, and every field type', ONCE, async ({ server }) => {
  const api = await apiOf(server)
  const typeOf = ({ field }: { readonly field: string }) => /type: (\w+)/.exec(field)?.[1] ?? ''
  const covered = new Set(WIDGET_FIELDS.map((field) => `${typeOf(field)} as ${field.widget}`))
  const used = new Set<string>()
  const { models } = await api.site()
  for (const { key, fields } of models) {
    for (const view of await api.viewsOf(key)) {
      const form = view as unknown as FormOf
      if (form.view_type !== 'form') continue
      const settable = new Set([...(form.creation_fields ?? []), ...(form.allowed_update_fields ?? [])])
      for (const { name, widget, field_type: declared } of form.fields) {
        const type = fields.find((field) => field.name === name)?.type ?? declared
        if (settable.has(name) && !FILES.has(type ?? '')) used.add(`${type} as ${widget}`)
      }
    }
  }
  assert.ok(used.size > 10)
  assert.deepEqual(
    [...used].filter((pair) => !covered.has(pair)),
    [],
  )
  const types = new Set(WIDGET_FIELDS.map(typeOf))
  assert.deepEqual(
    FIELD_TYPE_NAMES.filter((type) => !types.has(type) && !FILES.has(type)),
    [],
  )
})

interface FormOf {
  readonly view_type: string
  readonly fields: readonly { readonly name: string; readonly widget?: string; readonly field_type?: string }[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
}

inBrowser(
  'the JSON editor names the line and column of a fault, jumps there, and saves nothing until it is mended',
  { at: '/models/thing/new' },
  async ({ page, checkAccess }) => {
    await page.getByLabel('The name').fill('JSON')
    const editor = page.getByLabel('The data')
    await editor.fill('{\n  "a": 1,\n  "b": oops\n}')
    await page.getByText('This is not valid JSON: line 3, column 8.').waitFor()
    await assertBecomes(() => editor.getAttribute('aria-invalid'), 'true')
    await checkAccess()
    let writes = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/models/thing')) writes++
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('One field needs your attention.').waitFor()
    assert.equal(writes, 0)
    await page.getByRole('button', { name: 'Go to the error' }).click()
    assert.equal(
      await page.evaluate('document.activeElement.value.slice(document.activeElement.selectionStart).slice(0, 4)'),
      'oops',
    )
    await editor.fill('{"a":1}')
    await page.getByRole('button', { name: 'Format' }).click()
    await assertBecomes(() => editor.inputValue(), '{\n  "a": 1\n}')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'JSON' }).waitFor()
    assert.equal(writes, 1)
  },
)
