import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILE_TABLE } from '../../../src/model/files.ts'
import { ask, openArticles, places, upload } from './articles.ts'

/** Users with pictures. */
const USER = `name: User
fields:
  - { name: username, type: string, required: true, unique: true }
  - { name: email, type: email, required: true, unique: true }
  - { name: password, type: password, required: true }
  - { name: first_name, type: string }
  - { name: last_name, type: string }
  - { name: is_active, type: boolean, default: true }
  - { name: is_superuser, type: boolean, default: false }
  - { name: last_login, type: datetime }
  - { name: permissions, type: many_to_many, model: permission }
  - { name: groups, type: many_to_many, model: group }
  - { name: photo, type: image }
timestamps: true
`

test('a reset that keeps accounts keeps their files, and forgets those of the records that it removes', async () => {
  await using app = await openArticles({ files: { 'models/user.yaml': USER } })
  const photo = await upload(app, { model: 'user', field: 'photo' })
  await ask(app, 'PUT user/1', { data: { photo } })
  await ask(app, 'POST article', { data: { title: 'One', gallery: [await upload(app)] } })
  await upload(app)
  assert.deepEqual(await places(app), ['photo 1', 'gallery 1', 'gallery pending'])
  for (const accounts of [false, true]) {
    await app.live.replace({ data: { kind: 'reset', seeds: false, accounts } })
    assert.deepEqual(await places(app), accounts ? [] : ['photo 1'])
  }
  assert.equal((await app.app.store.status()).records.get(FILE_TABLE) ?? 0, 0)
})
