import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { typeSearch } from '../../helpers/browser-typing.ts'
import type { RunningServer } from '../../helpers/cli/process.ts'

const inBrowser = browserSite()

const PASSWORD = 'the-first-password'

/** Creates a user for one test. */
async function newUser(server: RunningServer, { scheme, width }: Variant, name: string) {
  const username = `${name}-${scheme}-${width}`
  const users = (await apiOf(server)).model('user')
  const { data } = await users.create({ username, email: `${username}@example.org`, password: PASSWORD })
  return { id: data.id, username, password: PASSWORD }
}

const idsOf = (value: unknown): readonly number[] => (value as readonly { readonly id: number }[]).map(({ id }) => id)

const panel = (page: Page) => page.getByRole('region', { name: 'Account', exact: true })

const matrix = (page: Page) => page.getByRole('region', { name: 'Permissions', exact: true })

const save = (page: Page) => matrix(page).getByRole('button', { name: 'Save permissions' })

inBrowser(
  'a superuser sets the password of a user, whose sessions end',
  { allows: ['400 /models/user'] },
  async ({ page, server, variant, path, checkAccess }) => {
    const user = await newUser(server, variant, 'password')
    const elsewhere = await apiOf(server, user)
    await page.goto(`${path}/models/user/${user.id}`)
    await panel(page).getByRole('region', { name: 'Sessions' }).getByRole('row').nth(1).waitFor()
    await panel(page).getByRole('button', { name: 'Set password' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New password').fill('short')
    await dialog.getByRole('button', { name: 'Set password' }).click()
    await dialog.locator('input[aria-invalid]:focus').waitFor()
    await checkAccess()
    await dialog.getByLabel('New password').fill('the-second-password')
    await dialog.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('Password set').waitFor()
    await panel(page).getByText('No sessions').waitFor()
    await assert.rejects(elsewhere.sessions(), { type: 'authentication' })
    await apiOf(server, { ...user, password: 'the-second-password' })
  },
)

inBrowser('a superuser disables and enables an account', {}, async ({ page, server, variant, path, checkAccess }) => {
  const user = await newUser(server, variant, 'disabled')
  await page.goto(`${path}/models/user/${user.id}`)
  await panel(page).getByRole('button', { name: 'Disable account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${user.username} cannot sign in`).waitFor()
  await checkAccess()
  await dialog.getByRole('button', { name: 'Disable account' }).click()
  await panel(page).getByText('This account is disabled: its user cannot sign in.').waitFor()
  await assert.rejects(apiOf(server, user), { type: 'authentication' })
  await panel(page).getByRole('button', { name: 'Enable account' }).click()
  await panel(page).getByRole('button', { name: 'Disable account' }).waitFor()
  await apiOf(server, user)
})

inBrowser(
  'a superuser puts a user into a group and makes it a superuser; groups that others have added stay',
  {},
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    const user = await newUser(server, variant, 'rights')
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => api.model('group').create({ name: `${name} ${variant.scheme} ${variant.width}` })),
    )
    assert.ok(first !== undefined && second !== undefined)
    await page.goto(`${path}/models/user/${user.id}`)
    const save = panel(page).getByRole('button', { name: 'Save rights' })
    await save.waitFor()
    assert.ok(await save.isDisabled())
    await checkAccess()
    await panel(page).getByLabel('Groups').click()
    await typeSearch(page, String(first.data.name))
    await page.getByRole('option', { name: String(first.data.name), exact: true }).click()
    await page.keyboard.press('Escape')
    await panel(page).getByLabel('Superuser').check()
    await checkAccess()
    await save.click()
    await page.getByText('Rights saved').waitFor()
    const { data } = await api.model('user').read(user.id)
    assert.equal(data.is_superuser, true)
    assert.deepEqual(idsOf(data.groups), [first.data.id])

    await panel(page)
      .getByRole('button', { name: `Remove ${first.data.name}` })
      .click()
    await api.model('user').update(user.id, { groups: [first.data.id, second.data.id] })
    await save.click()
    await page.getByText('Rights saved').nth(1).waitFor()
    assert.deepEqual(idsOf((await api.model('user').read(user.id)).data.groups), [second.data.id])
  },
)

inBrowser('a superuser sees and ends the sessions of a user', {}, async ({ page, server, variant, path }) => {
  const user = await newUser(server, variant, 'sessions')
  const one = await apiOf(server, user)
  await apiOf(server, user)
  await page.goto(`${path}/models/user/${user.id}`)
  const rows = panel(page).getByRole('region', { name: 'Sessions' }).locator('tbody').getByRole('row')
  await rows.nth(1).waitFor()
  await panel(page).getByRole('button', { name: 'End all sessions' }).click()
  await page.getByText('2 sessions ended').waitFor()
  await panel(page).getByText('No sessions').waitFor()
  await assert.rejects(one.sessions(), { type: 'authentication' })
})

inBrowser('the own account leads to its page, and cannot be disabled here', { at: '/models/user/1' }, async ({ page }) => {
  await page.getByRole('link', { name: 'Change your password or end sessions' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Disable account' }).count(), 0)
})

inBrowser(
  'the permissions of a group are a table of models and actions; changes of others are kept',
  {},
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    // 1 is view_post, 6 add_comment, 9 view_category, 13 view_tag.
    const name = `Matrix ${variant.scheme} ${variant.width}`
    const { data: group } = await api.model('group').create({ name, permissions: [1, 9] })
    await page.goto(`${path}/models/group/${group.id}`)
    await matrix(page).getByRole('checkbox', { name: 'Posts: View' }).waitFor()
    assert.deepEqual(await checkedIn(page), ['Categories: View', 'Posts: View'])
    assert.ok(await save(page).isDisabled())
    await checkAccess()

    await matrix(page).getByRole('checkbox', { name: 'Tags: all' }).check()
    await matrix(page).getByRole('checkbox', { name: 'Tags: Delete' }).uncheck()
    await matrix(page).getByRole('checkbox', { name: 'Categories: View' }).uncheck()
    await api.model('group').update(group.id, { permissions: [1, 9, 6] })
    await save(page).click()
    await page.getByText('Permissions saved').waitFor()
    const { data: stored } = await api.model('group').read(group.id)
    const ids = (stored.permissions as readonly { readonly id: number }[]).map(({ id }) => id)
    assert.deepEqual(
      ids.toSorted((one, other) => one - other),
      [1, 6, 13, 14, 15],
    )
    await page.reload()
    await matrix(page).getByRole('checkbox', { name: 'Posts: View' }).waitFor()
    assert.deepEqual(await checkedIn(page), ['Comments: Add', 'Posts: View', 'Tags: Add', 'Tags: Change', 'Tags: View'])

    await matrix(page).getByRole('checkbox', { name: 'Posts: all' }).check()
    await matrix(page).getByRole('button', { name: 'Cancel' }).click()
    assert.ok(await save(page).isDisabled())
    await api.model('group').delete(group.id)
  },
)

/** Names of the ticked permissions, sorted; those that stand for a whole row are left out. */
async function checkedIn(page: Page): Promise<readonly string[]> {
  const labels: string[] = []
  for (const box of await matrix(page).locator('td input:checked').all())
    labels.push((await box.getAttribute('aria-label')) ?? '')
  return labels.toSorted()
}

inBrowser('a permission takes effect for the members of the group', {}, async ({ page, server, variant, path }) => {
  const api = await apiOf(server)
  const user = await newUser(server, variant, 'member')
  const { data: group } = await api.model('group').create({ name: `Effect ${variant.scheme} ${variant.width}` })
  await api.model('user').update(user.id, { groups: [group.id] })
  const member = await apiOf(server, user)
  await assert.rejects(member.model('tag').list(), { type: 'permission' })
  await page.goto(`${path}/models/group/${group.id}`)
  await matrix(page).getByRole('checkbox', { name: 'Tags: View' }).check()
  await save(page).click()
  await page.getByText('Permissions saved').waitFor()
  await member.model('tag').list()
})

inBrowser('permissions of a superuser are said to have no effect', { at: '/models/user/1' }, async ({ page }) => {
  await matrix(page).getByText('Superusers can do everything').waitFor()
  await matrix(page).getByText('In addition to the permissions of the user’s groups.').waitFor()
})

inBrowser('other models have no panels of accounts', { at: '/models/tag/1' }, async ({ page }) => {
  await page.getByLabel('Name').waitFor()
  assert.equal(await matrix(page).count(), 0)
  assert.equal(await panel(page).count(), 0)
})

inBrowser('an editor has no users and groups', { as: ACCOUNTS.editor, at: '/models/group/1' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  assert.equal(await page.locator('a[href$="/models/user"], a[href$="/models/group"]').count(), 0)
})

const TREASURER = { username: 'treasurer', password: PASSWORD }

inBrowser(
  'a user who may view users, but is no superuser, has no panels',
  { as: null, at: '/models/user/3' },
  async ({ page, server, path }) => {
    const api = await apiOf(server)
    const groups = await api.model('group').list({ filters: ['name=Treasurers'] })
    const found = await api.model('user').list({ filters: [`username=${TREASURER.username}`] })
    if (found.total === 0) {
      const email = 'treasurer@example.org'
      await api.model('user').create({ ...TREASURER, email, groups: groups.data.map(({ id }) => id) })
    }
    await page.getByLabel('Username').fill(TREASURER.username)
    await page.locator('input[name=password], input[autocomplete=current-password]').fill(TREASURER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'anna.lind' }).waitFor()
    assert.equal(await panel(page).count(), 0)
    assert.equal(await matrix(page).count(), 0)
    await page.goto(`${path}/`)
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  },
)
