import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ACCOUNTS, browserSite, type Variant } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
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

const tick = (page: Page, name: string) => matrix(page).getByRole('checkbox', { name, exact: true })

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

const unsaved = (page: Page) => page.locator('.record-header').getByText('Unsaved')

const saved = (page: Page) => page.getByText('Saved', { exact: true })

/** Chooses a group of the user that the page shows. */
async function chooseGroup(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Groups' }).click()
  await typeSearch(page, name)
  await page.getByRole('option', { name, exact: true }).click()
  await page.keyboard.press('Escape')
}

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
  'one Save stores the name, a group, superuser and a permission in one request; Undo takes all back',
  {},
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    const user = await newUser(server, variant, 'rights')
    const { data: group } = await api.model('group').create({ name: `First ${variant.scheme} ${variant.width}` })
    await page.goto(`${path}/models/user/${user.id}`)
    await page.getByLabel('First name').fill('Ada')
    await page.getByRole('tab', { name: 'Access' }).click()
    await checkAccess()
    await chooseGroup(page, String(group.name))
    await page.getByLabel('Superuser').check()
    await tick(page, 'Posts: View').check()
    await assertBecomes(() => save(page).count(), 1)
    const tried: unknown[] = []
    const written: unknown[] = []
    page.on('request', (request) => {
      if (request.method() !== 'PUT') return
      const sent = request.url().includes('dry_run') ? tried : written
      sent.push(request.postDataJSON().form_id)
    })
    await save(page).click()
    await saved(page).waitFor()
    await unsaved(page).waitFor({ state: 'detached' })
    assert.deepEqual(tried, ['UserCreateForm'], 'the rules of the form apply')
    assert.equal(written.length, 1, 'one write, so that all is stored or nothing')
    const { data } = await api.model('user').read(user.id)
    assert.deepEqual([data.first_name, data.is_superuser], ['Ada', true])
    assert.deepEqual([idsOf(data.groups), idsOf(data.permissions)], [[group.id], [1]])
    await checkAccess()

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone', { exact: true }).waitFor()
    const { data: former } = await api.model('user').read(user.id)
    assert.deepEqual([former.first_name, former.is_superuser, former.groups, former.permissions], [null, false, [], []])
    await assertBecomes(() => page.getByLabel('Superuser').isChecked(), false)
  },
)

inBrowser(
  'a form that refuses its values keeps the rights from being stored, too, and opens with its message',
  { allows: ['400 /models/user/'] },
  async ({ page, server, variant, path }) => {
    const user = await newUser(server, variant, 'refused')
    await page.goto(`${path}/models/user/${user.id}`)
    await page.getByLabel('E-mail').fill('nobody')
    await page.getByRole('tab', { name: 'Access' }).click()
    await tick(page, 'Posts: View').check()
    await save(page).click()
    await page.locator('[data-field=email] [aria-invalid]:focus').waitFor()
    assert.deepEqual((await (await apiOf(server)).model('user').read(user.id)).data.permissions, [])
    await page.getByLabel('E-mail').fill(`${user.username}@example.com`)
    await save(page).click()
    await saved(page).waitFor()
    assert.deepEqual(idsOf((await (await apiOf(server)).model('user').read(user.id)).data.permissions), [1])
  },
)

inBrowser(
  'each tab with faults is marked and shows its own; Save goes to the first of them',
  { allows: ['400 /models/user/'] },
  async ({ page, server, variant, path, checkAccess }) => {
    const user = await newUser(server, variant, 'marked')
    const error = { email: ['email is taken'], groups: ['groups are too many'], permissions: ['permissions are refused'] }
    await page.route(`**/models/user/${user.id}*`, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 400, json: { detail: { error } } }) : route.continue(),
    )
    await page.goto(`${path}/models/user/${user.id}?tab=access`)
    await tick(page, 'Posts: View').check()
    await save(page).click()
    await page.getByRole('tab', { name: 'Details has errors', selected: true }).waitFor()
    const faults = page.locator('.form-faults li')
    await page.locator('[data-field=email] [aria-invalid]:focus').waitFor()
    await assertBecomes(() => faults.allInnerTexts(), ['E-mail is taken'])
    await checkAccess()

    await page.getByRole('tab', { name: 'Access has errors' }).click()
    await page.locator('[data-field=groups] [aria-invalid]:focus').waitFor()
    await assertBecomes(() => faults.allInnerTexts(), ['Groups are too many', 'Permissions are refused'])
    const description = await matrix(page).first().getAttribute('aria-describedby')
    await assertBecomes(() => page.locator(`[id="${description}"]`).innerText(), 'Permissions are refused')
    await page.getByRole('link', { name: 'Permissions are refused' }).click()
    await page.locator('[data-field=permissions][data-invalid] input:focus').waitFor()
    await checkAccess()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('tab', { name: 'Access', exact: true }).waitFor()
  },
)

inBrowser(
  'a user who takes the own superuser right no longer sees what only superusers may',
  { as: null },
  async ({ page, server, variant, path }) => {
    const api = await apiOf(server)
    const user = await newUser(server, variant, 'resigns')
    await api.model('user').update(user.id, { is_superuser: true })
    await page.goto(`${path}/models/user/${user.id}?tab=access`)
    await page.getByLabel('Username').fill(user.username)
    await page.getByLabel('Password', { exact: true }).fill(user.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Superuser').uncheck()
    await save(page).click()
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await saved(page).waitFor()
    await assertBecomes(() => page.locator('a[href$="/tools"], a[href$="/models/user"]').count(), 0)
  },
)

inBrowser(
  'groups that others have added or removed meanwhile stay so',
  { allows: ['412 /models/user/'] },
  async ({ page, server, variant, path }) => {
    const api = await apiOf(server)
    const user = await newUser(server, variant, 'merged')
    const created = ['One', 'Two', 'Three'].map((name) =>
      api.model('group').create({ name: `${name} ${variant.scheme} ${variant.width}` }),
    )
    const [one, two, three] = (await Promise.all(created)).map(({ data }) => data)
    assert.ok(one !== undefined && two !== undefined && three !== undefined)
    await api.model('user').update(user.id, { groups: [one.id, two.id] })
    await page.goto(`${path}/models/user/${user.id}?tab=access`)
    await page.getByRole('button', { name: `Remove ${one.name}` }).click()
    await unsaved(page).waitFor()
    await api.model('user').update(user.id, { groups: [one.id, three.id] })
    await save(page).click()
    await saved(page).waitFor()
    assert.deepEqual(idsOf((await api.model('user').read(user.id)).data.groups), [three.id])
  },
)

inBrowser('a page with an unsaved tick is not left without a question', { at: '/models/group/3' }, async ({ page }) => {
  await page.getByRole('tab', { name: 'Permissions' }).click()
  await tick(page, 'Tags: View').check()
  await unsaved(page).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Groups' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  await dialog.getByRole('button', { name: 'Stay' }).click()
  await dialog.waitFor({ state: 'detached' })
  await assertBecomes(() => tick(page, 'Tags: View').isChecked(), true)
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await assertBecomes(() => tick(page, 'Tags: View').isChecked(), false)
  await page.getByRole('main').getByRole('link', { name: 'Groups' }).first().click()
  await page.waitForURL('**/models/group')
})

inBrowser(
  'what the chosen groups give has grey ticks, which are not stored as permissions of the user',
  {},
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    const user = await newUser(server, variant, 'grey')
    const name = `Grey ${variant.scheme} ${variant.width}`
    // 13 to 16 are view, add, change and delete of tags.
    const { data: group } = await api.model('group').create({ name, permissions: [13, 14] })
    await page.goto(`${path}/models/user/${user.id}?tab=access`)
    await tick(page, 'Tags: View').waitFor()
    await chooseGroup(page, name)
    const given = tick(page, `Tags: View (from ${name})`)
    await given.waitFor()
    assert.deepEqual([await given.isChecked(), await given.getAttribute('aria-disabled')], [true, 'true'])
    await tick(page, 'Tags: all').focus()
    await page.keyboard.press('Tab')
    await page.locator('.tooltip').getByText(`from ${name}`).waitFor()
    await page.keyboard.press('Space')
    await assertBecomes(() => given.isChecked(), true)
    await checkAccess()
    await tick(page, 'Tags: all').check()
    await save(page).click()
    await saved(page).waitFor()
    assert.deepEqual(idsOf((await api.model('user').read(user.id)).data.permissions), [15, 16])
    await page.getByRole('button', { name: `Remove ${name}` }).click()
    await tick(page, 'Tags: View').waitFor()
    assert.deepEqual(await checkedIn(page), ['Tags: Change', 'Tags: Delete'])
    assert.deepEqual(idsOf((await api.model('user').read(user.id)).data.groups), [group.id], 'only Save stores')
  },
)

inBrowser(
  'the last superuser cannot be demoted: the message stands at the switch, whose tab opens',
  { at: '/models/user/1?tab=access', allows: ['409 /models/user/1'] },
  async ({ page, server, checkAccess }) => {
    await page.getByLabel('Superuser').uncheck()
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.getByLabel('First name').fill('Nobody')
    await save(page).click()
    await page.locator('[data-field=is_superuser] [aria-invalid]:focus').waitFor()
    await page.getByRole('tab', { name: 'Access', selected: true }).waitFor()
    await page.locator('[data-field=is_superuser]').getByText('is the last active superuser').waitFor()
    await checkAccess()
    const { data } = await (await apiOf(server)).model('user').read(1)
    assert.notEqual(data.first_name, 'Nobody')
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
  { allows: ['412 /models/group/'] },
  async ({ page, server, variant, path, checkAccess }) => {
    const api = await apiOf(server)
    // 1 is view_post, 6 add_comment, 9 view_category, 13 view_tag.
    const name = `Matrix ${variant.scheme} ${variant.width}`
    const { data: group } = await api.model('group').create({ name, permissions: [1, 9] })
    await page.goto(`${path}/models/group/${group.id}?tab=access`)
    await tick(page, 'Posts: View').waitFor()
    assert.deepEqual(await checkedIn(page), ['Categories: View', 'Posts: View'])
    await checkAccess()

    await tick(page, 'Tags: all').check()
    await tick(page, 'Tags: Delete').uncheck()
    await tick(page, 'Categories: View').uncheck()
    await api.model('group').update(group.id, { permissions: [1, 9, 6] })
    await save(page).click()
    await saved(page).waitFor()
    const { data: stored } = await api.model('group').read(group.id)
    assert.deepEqual(
      idsOf(stored.permissions).toSorted((one, other) => one - other),
      [1, 6, 13, 14, 15],
    )
    await page.reload()
    await tick(page, 'Posts: View').waitFor()
    assert.deepEqual(await checkedIn(page), ['Comments: Add', 'Posts: View', 'Tags: Add', 'Tags: Change', 'Tags: View'])
    // The form of a record that is deleted could read it again, and get 404.
    await page.goto(`${path}/`)
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
  await page.goto(`${path}/models/group/${group.id}?tab=access`)
  await tick(page, 'Tags: View').check()
  await save(page).click()
  await saved(page).waitFor()
  await member.model('tag').list()
})

inBrowser(
  'on a phone no name of a model breaks',
  { widths: [360], at: '/models/group/3?tab=access' },
  async ({ page, checkAccess }) => {
    await page.evaluate(`localStorage['admin.language'] = '"de"'`)
    await page.reload()
    await page.getByRole('checkbox', { name: 'Berechtigungen: Ansehen' }).waitFor()
    const broken = `[...document.querySelectorAll('.table-matrix tbody label.option')].filter((name) => name.offsetHeight > 32).map((name) => name.innerText)`
    assert.deepEqual(await page.evaluate(broken), [])
    await checkAccess()
  },
)

inBrowser('permissions of a superuser are said to have no effect', { at: '/models/user/1?tab=access' }, async ({ page }) => {
  await matrix(page).getByText('Superusers can do everything').waitFor()
  await matrix(page).getByText('Grey ticks come from the user’s groups').waitFor()
})

inBrowser('an editor has no users and groups', { as: ACCOUNTS.editor, at: '/models/group/1' }, async ({ page }) => {
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  assert.equal(await page.locator('a[href$="/models/user"], a[href$="/models/group"]').count(), 0)
})

const TREASURER = { username: 'treasurer', password: PASSWORD }

inBrowser(
  'a user who may view users alone sees no rights; one who may view groups and permissions reads them',
  { as: null, at: '/models/user/3' },
  async ({ page, server, path, checkAccess }) => {
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
    await assertBecomes(() => panel(page).count(), 0)
    await assertBecomes(() => page.getByRole('tab').allInnerTexts(), ['Details', 'History'])

    const codenames = await api.model('permission').list({ filters: { codename__in: ['view_group', 'view_permission'] } })
    const [treasurer] = (await api.model('user').list({ filters: [`username=${TREASURER.username}`] })).data
    const giveRights = (names: readonly string[]) => {
      const permissions = codenames.data.filter(({ codename }) => names.includes(String(codename))).map(({ id }) => id)
      return api.model('user').update(treasurer?.id ?? 0, { permissions })
    }
    const explanation = page.getByText('Grey ticks come from the user’s groups')
    await giveRights(['view_permission'])
    await page.goto(`${path}/models/user/3?tab=access`)
    await tick(page, 'Posts: View').waitFor()
    assert.equal(await explanation.count(), 0, 'without the groups there are no grey ticks')

    await giveRights(['view_permission', 'view_group'])
    await page.goto(`${path}/models/user/3?tab=access`)
    const given = tick(page, 'Posts: View (from Authors)')
    await given.waitFor()
    await explanation.waitFor()
    await checkAccess()
    assert.equal(await matrix(page).locator('input:not([aria-disabled])').count(), 0)
    assert.equal(await page.getByRole('switch').count(), 0)
    assert.equal(await save(page).count(), 0)
    await page.goto(`${path}/`)
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  },
)
