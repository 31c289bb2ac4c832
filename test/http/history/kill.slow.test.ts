import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { HISTORY } from '../../../src/history/history-recorder.ts'
import { loadProject } from '../../../src/project/project.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { integer, mulberry32, pick, type Random } from '../../bench/data/random.ts'
import { ADMIN_SEED } from '../../helpers/api/app.ts'
import { runCli } from '../../helpers/cli/cli.ts'
import { startServer } from '../../helpers/cli/process.ts'
import { repetitions } from '../../helpers/counts.ts'
import { makeProject } from '../../helpers/fixture.ts'
import { allRecords, comparable, type Entry, presentState, replay } from './replay.ts'

/** Rounds at least, and requests that must have been acknowledged in them; more rounds follow until there are so many. */
const ROUNDS = repetitions(5, 12)
const ACKNOWLEDGED = repetitions(120, 300)
const WRITERS = 6
const RECORDED = ['label', 'note']

const FILES = {
  'admin.config.yaml': 'history: { days: 90 }\nrate_limits: { default: 0, auth: 0, upload: 0 }\n',
  'models/label.yaml': 'name: Label\nfields:\n  - { name: name, type: string, required: true }\n',
  'models/note.yaml': `name: Note
timestamps: true
fields:
  - { name: text, type: string }
  - { name: label_id, type: foreignkey, model: label, on_delete: cascade }
`,
  ...ADMIN_SEED,
}

/** Writes one request after another until the server is gone, and adds the ids of acknowledged ones. */
async function keepWriting(address: string, token: string, random: Random, acknowledged: string[]): Promise<void> {
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${address}/api/v1/models/${path}`, { method, headers, body: JSON.stringify(body) })
    const { data } = JSON.parse(await reply.text())
    if (reply.ok) acknowledged.push(String(reply.headers.get('x-request-id')))
    return reply.ok ? data : undefined
  }
  try {
    for (let round = 0; ; round++) {
      const label = await ask('POST', 'label', { data: { name: `label ${round}` } })
      const records = Array.from({ length: integer(random, 1, 20) }, (_, index) => ({ text: `${index}`, label_id: label.id }))
      const [note] = (await ask('POST', 'note/bulk', { records })) ?? []
      await ask('PUT', `note/${note.id}`, { data: { text: pick(random, ['a', 'b', 'c']) } })
      await ask('PUT', 'note/bulk', { filters: [`label_id=${label.id}`], expected_total: records.length, data: { text: 'all' } })
      if (round % 3 > 0) await ask('DELETE', `label/${label.id}`, {})
    }
  } catch (error) {
    // The server was killed.
    if (!(error instanceof TypeError)) throw error
  }
}

test('kill -9 leaves no change without its history entry, and no entry without its change', { timeout: 300_000 }, async () => {
  await using folder = await makeProject(FILES)
  const random = mulberry32(9)
  const acknowledged: string[] = []
  for (let round = 1; round <= ROUNDS || acknowledged.length < ACKNOWLEDGED; round++) {
    const server = await startServer(['--project', folder.path])
    const token = (await runCli(['token'], { cwd: folder.path })).stdout.trim()
    const writers = Array.from({ length: WRITERS }, () => keepWriting(server.address, token, random, acknowledged))
    await delay(integer(random, 200, 900))
    await server.stop('SIGKILL')
    await Promise.all(writers)

    const { registry } = await loadProject({ folder: folder.path, env: {}, flags: {} })
    const store = await FileStore.open(join(folder.path, 'data'), registry, 'read')
    const entries = (await allRecords(store, HISTORY)) as unknown as (Entry & { readonly request_id: string })[]
    const present = await presentState(store, registry, RECORDED)
    await store.close()
    assert.deepEqual(comparable(replay({ label: {}, note: {} }, entries)), comparable(present), `round ${round}`)
    const known = new Set(entries.map(({ request_id: id }) => id))
    assert.deepEqual(
      acknowledged.filter((id) => !known.has(id)),
      [],
      `round ${round}: acknowledged, and not in the history`,
    )
  }
})
