import assert from 'node:assert/strict'
import { after } from 'node:test'
import { BARE_ACCOUNTS } from '../../helpers/bare-project.ts'
import { browserSite } from '../../helpers/browser.ts'
import { makeProject } from '../../helpers/fixture.ts'

const { superuser } = BARE_ACCOUNTS
const project = await makeProject({
  'models/order.yaml': `name: Order
display_field: note
fields:
  - { name: note, type: string }
  - { name: quantity, type: integer }
  - { name: total, type: number, required: true }
`,
  'hooks/order.js': `import { defineHooks } from 'admin-folder'
export default defineHooks('order', { compute: { total: ({ quantity }) => (quantity ?? 0) * 5 } })
`,
  // The form says nothing about the computed field.
  'views/order.yaml': `name: OrderForm
view_type: form
model: Order
fields: [{ name: note }, { name: quantity }, { name: total, required: true }]
`,
  'seed/user.json': JSON.stringify([{ ...superuser, email: 'admin@example.org', is_superuser: true }]),
  'seed/order.yaml': '- { note: Pens, quantity: 2 }\n',
})
after(() => project.remove())

const inBrowser = browserSite({ project: project.path })

inBrowser(
  'a computed field is shown without an input, and follows each save',
  { as: superuser, at: '/models/order/1' },
  async ({ page, checkAccess }) => {
    const total = page.locator('[data-field=total]')
    await total.getByText('10', { exact: true }).waitFor()
    assert.equal(await total.locator('input').count(), 0)
    await page.locator('[data-field=quantity] input').fill('3')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await total.getByText('15', { exact: true }).waitFor()
    await checkAccess()
  },
)

inBrowser('a new record is saved without its computed field', { as: superuser, at: '/models/order/new' }, async ({ page }) => {
  await page.locator('[data-field=note] input').fill('Ink')
  await page.locator('[data-field=quantity] input').fill('4')
  assert.equal(await page.locator('[data-field=total] input').count(), 0)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Ink' }).waitFor()
  await page.locator('[data-field=total]').getByText('20', { exact: true }).waitFor()
})
