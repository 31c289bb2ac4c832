import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApp } from '../../src/app.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import { loadProject } from '../../src/project/project.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { startServer } from '../helpers/cli/process.ts'
import { databaseProject, succeeded } from '../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'

const files = {
  'admin.config.yaml': 'webhooks: [{ url: "https://hooks.example.com/in" }]\n',
  'models/tag.yaml': 'name: Tag\nlabel: Tags\nfields: [{ name: name, type: string, required: true }]\n',
  'roles/editor.yaml': 'name: Editor\npermissions: [view_tag]\n',
  'seed/tag.yaml': '- { name: a }\n- { name: b }\n- { name: c }\n',
}

describe('starts on an empty database', { skip: NO_POSTGRES }, () => {
  test('of several starts at once one creates the seed records, and the others wait', async () => {
    await using project = await databaseProject(files)
    const open = async () => {
      const loaded = await loadProject({ folder: project.folder.path, env: project.env, flags: {} })
      return openApp(loaded, 'write', { tokenCodec: jwtCodec, hasher: quickHasher })
    }
    const apps = await Promise.all([open(), open(), open(), open()])
    try {
      assert.deepEqual(apps.map(({ seeded }) => seeded).sort(), [0, 0, 0, 3])
      const [app] = apps
      const { records } = await app.store.status()
      assert.deepEqual(
        ['tag', 'group', 'webhooksubscription'].map((table) => records.get(table)),
        [3, 1, 1],
      )
    } finally {
      for (const app of apps) await app.close()
    }
  })

  test('two processes of the real program start at once, and serve the same records', async () => {
    const project = await databaseProject(files)
    const env = { ...project.env, ADMIN_LOG__FORMAT: 'text' }
    const start = () => startServer(['--project', project.folder.path], { env })
    const started = await Promise.allSettled([start(), start()])
    try {
      const servers = started.map((each) => (each.status === 'fulfilled' ? each.value : assert.fail(String(each.reason))))
      succeeded(await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']))
      const authorization = `Bearer ${succeeded(await project.admin(['token'])).trim()}`
      const headers = { authorization, 'content-type': 'application/json' }
      const [first, second] = servers.map(({ address }) => `${address}/api/v1/models/tag`)
      const created = await fetch(`${first}`, { method: 'POST', headers, body: '{"data":{"name":"d"}}' })
      assert.equal(created.status, 201)
      const list = (await (await fetch(`${second}`, { headers })).json()) as { total: number }
      assert.equal(list.total, 4)
    } finally {
      for (const each of started) if (each.status === 'fulfilled') await each.value.stop()
      await project.remove()
    }
  })

  test('records of permissions and groups that an interrupted start has left do not prevent the seed records', async () => {
    await using project = await databaseProject(files)
    // The permissions are committed before the seed records, which a fault of the file prevents.
    await writeFile(join(project.folder.path, 'seed/tag.yaml'), '- { name: a }\n- { nme: b }\n')
    assert.equal((await project.admin(['serve', '--port', '0'])).code, 2)
    await writeFile(join(project.folder.path, 'seed/tag.yaml'), files['seed/tag.yaml'])
    const { stderr } = await project.admin(['serve', '--port', '0', '--log-format', 'text'])
    assert.match(stderr, /\(3 records from 1 seed file\)/)
  })
})
