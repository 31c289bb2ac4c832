import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp } from '../../helpers/api/app.ts'
import { send } from '../../helpers/api/scenario.ts'

const FILES = {
  'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string }\n',
  'roles/roles.yaml': '- { name: Readers, permissions: [view_note] }\n- { name: Writers, permissions: [view_note, add_note] }\n',
  'seed/user.yaml': `- { username: super, email: super@example.org, password: harbour-super-2024, is_superuser: true }
- { username: reader, email: reader@example.org, password: harbour-reader-2024, groups: [{ name: Readers }] }
- { username: writer, email: writer@example.org, password: harbour-writer-2024, groups: [{ name: Writers }] }
`,
}

const NOTES = '/api/v1/models/note'
const GROUPS = '/api/v1/models/group'

test('the groups of roles exist from the first start, with their permissions', async () => {
  await using app = await openTestApp({ files: FILES })
  const groups = (await send(app, { request: `GET ${GROUPS}`, as: 'super' })).json.data
  assert.deepEqual(
    groups.map(({ name, permissions }: { name: string; permissions: { codename: string }[] }) => [
      name,
      permissions.map(({ codename }) => codename),
    ]),
    [
      ['Readers', ['view_note']],
      ['Writers', ['view_note', 'add_note']],
    ],
  )
  for (const [as, view, add] of [
    ['reader', 200, 403],
    ['writer', 200, 201],
  ] as const) {
    assert.equal((await send(app, { request: `GET ${NOTES}`, as })).status, view)
    assert.equal((await send(app, { request: `POST ${NOTES}`, as, body: { data: { title: 'x' } } })).status, add)
  }
})

test('a group that exists keeps its permissions', async () => {
  const app = await openTestApp({ files: FILES })
  const changed = await send(app, { request: `PUT ${GROUPS}/2`, as: 'super', body: { data: { permissions: [] } } })
  assert.equal(changed.status, 200)
  await using later = await app.reopen()
  const { json } = await send(later, { request: `GET ${GROUPS}`, as: 'super' })
  assert.equal(json.total, 2)
  assert.deepEqual(json.data[1].permissions, [])
})
