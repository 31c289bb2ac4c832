import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type App, openApp } from '../../src/app.ts'
import { SYSTEM } from '../../src/auth/permissions.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { LiveServer } from '../../src/http/live-server.ts'
import { loadProject } from '../../src/project/project.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { type DatabaseProject, databaseProject } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

const model = (...fields: string[]) => `name: Tag\nlabel: Tags\nfields:\n${fields.map((field) => `  - { ${field} }\n`).join('')}`
const NAME = 'name: name, type: string, required: true'

describe('replacing an application whose records are in PostgreSQL', { skip: NO_POSTGRES }, () => {
  let project: DatabaseProject
  let live: LiveServer

  const load = () => loadProject({ folder: project.folder.path, env: project.env, flags: {} })
  const reload = async (...fields: string[]): Promise<App> => {
    await writeFile(join(project.folder.path, 'models/tag.yaml'), model(...fields))
    return live.replace({ project: await load() })
  }
  const create = (data: object) => live.app.records.create(SYSTEM, 'tag', { data })
  const total = async (table = 'tag') => (await live.app.store.status()).records.get(table)

  before(async () => {
    project = await databaseProject({
      'models/tag.yaml': model(NAME),
      'seed/tag.yaml': '- { name: a }\n- { name: b }\n',
      'seed/user.yaml': '- { username: root, email: root@example.com, password: long-enough, is_superuser: true }\n',
    })
    live = await LiveServer.create(await openApp(await load(), 'write', { tokenCodec: jwtCodec, hasher: quickHasher }))
  })
  after(async () => {
    await live.stop()
    await live.app.close()
    await project.remove()
  })

  test('a reload applies additive steps, and the records stay', async () => {
    const former = live.app
    await reload(NAME, 'name: colour, type: string')
    assert.notEqual(live.app, former)
    await create({ name: 'c', colour: 'red' })
    assert.equal(await total(), 3)
  })

  test('a reload with a step that rows are in the way of is refused with the plan, and the former project serves on', async () => {
    await create({ name: 'c' })
    await assert.rejects(reload('name: name, type: string, required: true, unique: true', 'name: colour, type: string'), {
      code: 'MIGRATION_NEEDED',
      message: /unique/,
    })
    await create({ name: 'c', colour: 'blue' })
    assert.equal(await total(), 5)
    await reload(NAME, 'name: colour, type: string')
    assert.equal(await total(), 5)
  })

  test('a reset with a faulty seed record changes nothing', async () => {
    const seeds = join(project.folder.path, 'seed/tag.yaml')
    await writeFile(seeds, '- { nme: a }\n')
    await assert.rejects(live.replace({ data: { kind: 'reset', seeds: true, accounts: false } }), { code: 'CONFIG_INVALID' })
    assert.equal(await total(), 5)
    await writeFile(seeds, '- { name: a }\n- { name: b }\n')
  })

  test('a reset keeps accounts, restarts ids and creates the seed records', async () => {
    await live.replace({ data: { kind: 'reset', seeds: true, accounts: false } })
    assert.deepEqual([await total(), await total('user'), live.app.seeded], [2, 1, 2])
    assert.equal((await create({ name: 'c' })).id, 3)
  })

  test('a reset keeps accounts of models that refer to removed records, once they refer to none', async () => {
    const extension = 'extends: user\nfields:\n  - { name: favourite_id, type: foreignkey, model: tag, on_delete: set_null }\n'
    await writeFile(join(project.folder.path, 'models/user.yaml'), extension)
    await live.replace({ project: await load() })
    const reset = () => live.replace({ data: { kind: 'reset', seeds: false, accounts: false } })
    await live.app.records.update(SYSTEM, 'user', '1', { data: { favourite_id: 1 } })
    await assert.rejects(reset(), { code: 'INVALID_REQUEST', message: /'favourite_id' of user 1 refers to tag 1/ })
    await live.app.records.update(SYSTEM, 'user', '1', { data: { favourite_id: null } })
    await reset()
    assert.deepEqual([await total(), await total('user')], [0, 1])
    assert.equal((await create({ name: 'first' })).id, 1)
  })

  test('a snapshot cannot be loaded', async () => {
    await assert.rejects(live.replace({ data: { kind: 'load', copy: 'x' } }), { code: 'USAGE', message: /pg_dump/ })
    assert.equal(await total(), 1)
  })

  test('every replacement uses the connections of the first', async () => {
    const { database } = live.app.figures()
    assert.ok((database?.pool.size ?? 0) <= 10, `${database?.pool.size} connections`)
    assert.ok((database?.statements.buckets ?? []).reduce((sum, count) => sum + count, 0) > 50)
  })
})
