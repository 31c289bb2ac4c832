import assert from 'node:assert/strict'
import { after } from 'node:test'
import { BARE_ACCOUNTS } from '../../helpers/bare-project.ts'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { makeProject } from '../../helpers/fixture.ts'

const { superuser } = BARE_ACCOUNTS
const project = await makeProject({
  'models/order.yaml': `name: Order
display_field: note
fields:
  - { name: note, type: string, default: By post }
  - { name: ordered_on, type: date, default: today }
  - { name: ordered_at, type: datetime, default: now }
  - { name: pieces, type: integer, default: 3 }
  - { name: is_open, type: boolean, default: true }
  - { name: hidden, type: string, default: Of the server }
`,
  // The form names no default.
  'views/order.yaml': `name: OrderForm
view_type: form
model: Order
fields:
${['note', 'ordered_on', 'ordered_at', 'pieces', 'is_open'].map((name) => `  - { name: ${name} }\n`).join('')}`,
  'seed/user.json': JSON.stringify([{ ...superuser, email: 'admin@example.org', is_superuser: true }]),
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

inBrowser(
  'a new form shows the defaults of the model, and what it shows is stored',
  { as: superuser, at: '/models/order/new' },
  async ({ page, server }) => {
    const shownIn = (name: string) => page.locator(`[data-field=${name}] input`).inputValue()
    await page.locator('[data-field=note] input').waitFor()
    assert.equal(await shownIn('note'), 'By post')
    assert.equal(await shownIn('pieces'), '3')
    await assertBecomes(() => page.getByRole('switch').isChecked(), true)
    const [day, moment] = [await shownIn('ordered_on'), await shownIn('ordered_at')]
    assert.match(`${day} ${moment}`, /^\d\d\/\d\d\/\d{4} \d\d\/\d\d\/\d{4}, \d\d:\d\d/)
    await page.locator('[data-field=pieces] input').fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'By post' }).waitFor()
    assert.deepEqual([await shownIn('ordered_on'), await shownIn('ordered_at')], [day, moment])
    const { data } = await (await apiOf(server, superuser)).model('order').read(1)
    assert.deepEqual([data.note, data.pieces, data.is_open, data.hidden], ['By post', null, true, 'Of the server'])
  },
)
