import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApp } from '../../../../src/app.ts'
import { jwtCodec } from '../../../../src/http/jwt-codec.ts'
import { loadProject } from '../../../../src/project/project.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { databaseProject, succeeded } from '../../../helpers/postgres/cli-project.ts'
import { Random } from '../../../helpers/postgres/random.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { ask, assertSwept, assertWhole, contentsOf, PAPERS, type PaperServer, papersOf, startPapers, upload } from './papers.ts'

/** Uploads of both processes together. */
const STEPS = repetitions(400, 10_000)
const CLIENTS_PER_PROCESS = 4
/** One of so many steps leaves its paper until the next: most contents have no paper at a time, so that sweeps remove their bytes. */
const LEFT_ONCE_IN = 10

/** So few that the uploads of one process, and the deletions and sweeps of the other, meet at the same bytes all the time. */
const CONTENTS = contentsOf([0, 1, 2, 3, 4, 5, 1000, 10_000, 100_000, 1_100_000])

/** Uploads a content, gives it to a paper or deletes it, and deletes papers, until there were enough uploads. */
async function work(server: PaperServer, seed: number, isOver: () => boolean): Promise<ReadonlyMap<number, string>> {
  const random = new Random(seed)
  const papers = new Map<number, string>()
  while (!isOver()) {
    const content = random.pick(CONTENTS)
    const [id] = await upload(server, [content])
    if (random.once(3)) {
      const { status } = await ask(server, `DELETE files/uploads/${id}`)
      // A sweep has removed an upload that is older than a tenth of a second.
      assert.ok(status === 200 || status === 404, String(status))
      continue
    }
    const { status, data, text } = await ask(server, 'POST models/paper', { data: { files: [id] } })
    if (status === 400) assert.match(text, /there is no upload/)
    else papers.set(data.id, content.sha256)
    if (random.once(LEFT_ONCE_IN)) continue
    for (const paper of papers.keys()) {
      assert.equal((await ask(server, `DELETE models/paper/${paper}`)).status, 200)
      papers.delete(paper)
    }
  }
  return papers
}

describe('two processes that upload and delete the same contents', { timeout: 1_100_000 }, () => {
  for (const store of ['the database', 'a shared folder']) {
    test(`lose none and leave none after ${STEPS} steps, with the bytes in ${store}`, { skip: NO_POSTGRES }, async () => {
      await using project = await databaseProject(PAPERS)
      const { path } = project.folder
      const env = { ...project.env, ...(store === 'a shared folder' && { ADMIN_FILES__STORE: join(path, 'shared') }) }
      const servers: PaperServer[] = []
      let expected: ReadonlyMap<number, string>
      try {
        for (const _ of ['first', 'second']) servers.push(await startPapers(path, env))
        let steps = 0
        const all = servers.flatMap((server, index) =>
          Array.from({ length: CLIENTS_PER_PROCESS }, (_, client) =>
            work(server, 1 + index * 10 + client, () => steps++ >= STEPS),
          ),
        )
        expected = new Map((await Promise.all(all)).flatMap((papers) => [...papers]))
      } finally {
        for (const { child } of servers) await child.kill()
      }
      const app = await openApp(await loadProject({ folder: path, env, flags: {} }), 'write', { tokenCodec: jwtCodec })
      try {
        const papers = await papersOf(app)
        assert.deepEqual(new Map([...papers].map(([id, files]) => [id, files.map(({ sha256 }) => sha256).join()])), expected)
        await assertWhole(app)
        await assertSwept(app)
      } finally {
        await app.close()
      }
      assert.match(succeeded(await project.admin(['files', 'check'], { env })), /^\d+ files?, .* free\n$/)
    })
  }
})
