import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../helpers/cli/process.ts'
import { databaseProject, succeeded } from '../../helpers/postgres/cli-project.ts'
import { NO_POSTGRES } from '../../helpers/postgres/server.ts'

/** In minutes. Tokens are valid for longer. */
const AHEAD = 5
const SHIFTED = `data:text/javascript,const now = Date.now; Date.now = () => now() + ${AHEAD * 60_000}`

test(
  'created_at and the history are by the clock of the database',
  NO_POSTGRES === undefined ? {} : { skip: NO_POSTGRES },
  async () => {
    await using project = await databaseProject({
      'admin.config.yaml': 'history: { days: 90 }\n',
      'models/tag.yaml': 'name: Tag\ntimestamps: true\nfields: [{ name: name, type: string, required: true }]\n',
    })
    const server = await startServer(['--project', project.folder.path], { env: project.env, execArgv: ['--import', SHIFTED] })
    try {
      succeeded(await project.admin(['users', 'add', 'root', '--email', 'r@example.com', '--superuser', '--password-stdin']))
      const authorization = `Bearer ${succeeded(await project.admin(['token'])).trim()}`
      const headers = { authorization, 'content-type': 'application/json' }
      const path = `${server.address}/api/v1/models/tag`
      const created = await fetch(path, { method: 'POST', headers, body: '{"data":{"name":"now"}}' })
      const { data } = (await created.json()) as { data: { id: number; created_at: string } }
      const history = (await (await fetch(`${path}/${data.id}/history`, { headers })).json()) as { data: { at: string }[] }
      for (const at of [data.created_at, history.data[0]?.at ?? '']) {
        assert.ok(Math.abs(Date.parse(at) - Date.now()) < (AHEAD / 2) * 60_000, at)
      }
    } finally {
      await server.stop()
    }
  },
)
