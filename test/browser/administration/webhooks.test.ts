import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { type Answer, type Receiver, startReceiver } from '../../helpers/api/receiver.ts'
import { BARE_ACCOUNTS, BARE_RECEIVER, bareProject } from '../../helpers/bare-project.ts'
import { ACCOUNTS, browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

/** A receiver that ends with the test. */
async function withReceiver(answers: readonly Answer[], body: (receiver: Receiver) => Promise<void>): Promise<void> {
  await using receiver = await startReceiver(...answers)
  await body(receiver)
}

interface Webhook {
  readonly id: number
  readonly url: string
}

/** Adds a webhook for updates of categories by the API. */
async function added(server: RunningServer, url: string): Promise<Webhook> {
  const body = { url, events: ['update'], models: ['category'] }
  const answer = await (await apiOf(server)).request('/webhooks', { method: 'POST', body })
  return (answer as { data: Webhook }).data
}

/** Deletes a webhook, so that the changes of other tests are not sent to a receiver that has ended. */
const removed = async (server: RunningServer, { id }: Webhook) =>
  (await apiOf(server)).request(`/webhooks/${id}`, { method: 'DELETE' })

/** Changes a category, which is told to its webhooks. */
async function change(server: RunningServer, id: number): Promise<void> {
  const categories = (await apiOf(server)).model('category')
  const { data } = await categories.read(id)
  await categories.update(id, { position: Number(data.position) + 1 })
}

/** Waits until the server has disabled the webhook; fails after a minute. */
async function disabled(server: RunningServer, { id }: Webhook): Promise<void> {
  const api = await apiOf(server)
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const { data } = (await api.request(`/webhooks/${id}`)) as { data: { active: boolean } }
    if (!data.active) return
  }
  assert.fail(`Webhook ${id} is still active`)
}

const nameOf = ({ scheme, width }: Variant) => `${scheme}-${width}`

const deliveries = (page: Page) => page.getByRole('region', { name: 'Deliveries' }).locator('tbody').getByRole('row')

const dialog = (page: Page) => page.getByRole('dialog')

const act = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

inBrowser(
  'a webhook is added, its secret is shown once, and a message arrives that is signed with it',
  { at: '/webhooks', allows: ['400 /webhooks'] },
  async ({ page, server, variant, checkAccess }) =>
    withReceiver([200], async (receiver) => {
      const url = `${receiver.url}/${nameOf(variant)}`
      await page.getByRole('button', { name: 'Add webhook' }).click()
      await dialog(page).getByLabel('URL').fill('no address')
      await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
      await dialog(page).locator('input[type=url][aria-invalid]:focus').waitFor()
      // The title of the input stands in the place of `url`.
      await dialog(page)
        .getByText(/^URL must/)
        .waitFor()
      await checkAccess()

      await dialog(page).getByLabel('URL').fill(url)
      await dialog(page).getByLabel('Delete').uncheck()
      await dialog(page).getByLabel('Tags').check()
      await dialog(page).getByRole('button', { name: 'Add', exact: true }).click()
      await dialog(page).getByText('Copy it now. It will not be shown again.').waitFor()
      const secret = await dialog(page).getByLabel('Secret').inputValue()
      assert.match(secret, /^whsec_.{32,}/)
      await checkAccess()
      await page.keyboard.press('Escape')
      await dialog(page).getByRole('button', { name: 'I have copied it' }).click()
      await dialog(page).waitFor({ state: 'detached' })

      const row = page.getByRole('row').filter({ hasText: url })
      await row.getByText('Enabled').waitFor()
      await assertBecomes(() => row.locator('.chips').allInnerTexts(), ['Create\nUpdate', 'tag'])
      await page.reload()
      await row.waitFor()
      assert.ok(!(await page.content()).includes(secret))

      const { data } = await (await apiOf(server)).model('tag').create({ name: url, slug: `hook-${nameOf(variant)}` })
      await receiver.arrived(1)
      const [message] = receiver.received
      assert.deepEqual(
        [message?.path, JSON.parse(message?.body ?? '').event, JSON.parse(message?.body ?? '').data.id],
        [`/hook/${nameOf(variant)}`, 'create', data.id],
      )
      await row.getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: url }).waitFor()
      await act(page, 'Delete webhook')
      await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
      await row.waitFor({ state: 'detached' })
    }),
)

inBrowser(
  'a delivery shows request and answer; it is delivered again',
  {},
  async ({ page, server, variant, path, checkAccess }) =>
    withReceiver(
      [
        (response) => response.writeHead(410).end('Closed for the season'),
        (response) => response.writeHead(200).end('Thank you'),
      ],
      async (receiver) => {
        const webhook = await added(server, `${receiver.url}/again-${nameOf(variant)}`)
        await change(server, 2)
        await disabled(server, webhook)
        await page.goto(`${path}/webhooks/${webhook.id}`)
        await page.getByText('Disabled: the receiver answered 410 Gone').first().waitFor()
        const row = deliveries(page).filter({ hasText: 'update category 2' })
        await row.getByText('Failed', { exact: true }).waitFor()
        await row.getByRole('button').click()
        await page.waitForURL(/delivery=\d+/)
        await dialog(page).getByText('Closed for the season').waitFor()
        await dialog(page).getByText(`POST ${webhook.url}`).waitFor()
        const sent = JSON.parse(await dialog(page).locator('pre').first().innerText()) as { event: string; data: { id: number } }
        assert.deepEqual([sent.event, sent.data.id], ['update', 2])
        assert.ok(await dialog(page).getByRole('button', { name: 'Deliver again' }).isDisabled())
        await checkAccess()
        await dialog(page).getByRole('button', { name: 'Close' }).last().click()
        await page.getByRole('button', { name: 'Enable', exact: true }).click()
        await page.getByRole('button', { name: 'Disable', exact: true }).waitFor()
        await row.getByRole('button').click()
        await dialog(page).getByRole('button', { name: 'Deliver again' }).click()
        await receiver.arrived(2)
        const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
        assert.equal(new Set(ids).size, 1)
        await dialog(page).getByText('Thank you').waitFor()
        const attempts = dialog(page).getByRole('region', { name: 'Attempts' }).locator('tbody').getByRole('row')
        await assertBecomes(() => attempts.locator('td:nth-child(2)').allInnerTexts(), ['410', '200'])
        await removed(server, webhook)
      },
    ),
)

inBrowser('a test is sent at once, and its answer is shown', {}, async ({ page, server, variant, path, checkAccess }) =>
  withReceiver([(response) => response.writeHead(418).end('A teapot')], async (receiver) => {
    const webhook = await added(server, `${receiver.url}/test-${nameOf(variant)}`)
    await page.goto(`${path}/webhooks/${webhook.id}`)
    await page.getByText('No deliveries yet').waitFor()
    await assertBecomes(() => page.title(), `Webhooks #${webhook.id} · The Harbour Journal`)
    await checkAccess()
    await page.getByRole('button', { name: 'Send test' }).click()
    await dialog(page).getByText('A teapot').waitFor()
    await dialog(page).getByRole('cell', { name: '418' }).waitFor()
    assert.equal(await dialog(page).getByRole('button', { name: 'Deliver again' }).count(), 0)
    assert.equal(receiver.received.length, 1)
    await dialog(page).getByRole('button', { name: 'Close' }).last().click()
    await dialog(page).waitFor({ state: 'detached' })
    await deliveries(page).filter({ hasText: 'test' }).getByText('Failed').waitFor()
    await choose(page.getByLabel('State'), 'Delivered')
    await page.getByText('No deliveries yet').waitFor()
    await removed(server, webhook)
  }),
)

inBrowser('a webhook is disabled, changed, and given a new secret', {}, async ({ page, server, variant, path }) =>
  withReceiver([200], async (receiver) => {
    const webhook = await added(server, `${receiver.url}/edit-${nameOf(variant)}`)
    await page.goto(`${path}/webhooks/${webhook.id}`)
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.locator('.page-header').getByText('Disabled', { exact: true }).waitFor()
    await disabled(server, webhook)

    await act(page, 'Edit webhook')
    await dialog(page)
      .getByLabel('URL')
      .fill(`${receiver.url}/moved-${nameOf(variant)}`)
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: `${receiver.url}/moved-${nameOf(variant)}` }).waitFor()

    await act(page, 'Rotate secret')
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click()
    await dialog(page).getByText('The previous secret stays valid for a day.').waitFor()
    assert.match(await dialog(page).getByLabel('Secret').inputValue(), /^whsec_/)
    await dialog(page).getByRole('button', { name: 'I have copied it' }).click()

    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await page.locator('.page-header').getByText('Enabled', { exact: true }).waitFor()
    await change(server, 3)
    await receiver.arrived(1)
    assert.equal(receiver.received[0]?.path, `/hook/moved-${nameOf(variant)}`)
    await removed(server, webhook)
  }),
)

const bare = await bareProject()
const withSettings = browserSite({ project: bare.path })
after(() => bare.remove())

withSettings(
  'a webhook of the settings cannot be changed here',
  { as: BARE_ACCOUNTS.superuser, at: '/webhooks' },
  async ({ page }) => {
    await page.getByRole('link', { name: BARE_RECEIVER }).click()
    await page.getByText('This webhook is defined in the settings of the project. Change it there.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'More actions' }).count(), 0)
  },
)

withSettings('an unknown webhook is not found', { as: BARE_ACCOUNTS.superuser, at: '/webhooks/4711' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

for (const at of ['/webhooks', '/webhooks/1']) {
  inBrowser(`an editor has no webhooks at ${at}`, { as: ACCOUNTS.editor, at }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(await page.locator('a[href$="/webhooks"]').count(), 0)
  })
}
