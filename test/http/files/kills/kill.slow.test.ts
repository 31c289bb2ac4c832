import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openApp } from '../../../../src/app.ts'
import { jwtCodec } from '../../../../src/http/jwt-codec.ts'
import { loadProject } from '../../../../src/project/project.ts'
import { repetitions } from '../../../helpers/counts.ts'
import { makeProject } from '../../../helpers/fixture.ts'
import { databaseProject } from '../../../helpers/postgres/cli-project.ts'
import { Random } from '../../../helpers/postgres/random.ts'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import {
  type Answer,
  ask,
  assertSwept,
  assertWhole,
  type Content,
  contentsOf,
  formOf,
  NoAnswer,
  PAPERS,
  type PaperServer,
  papersOf,
  startPapers,
  upload,
} from './papers.ts'

const KILLS = repetitions(4, 200)
/** A process is killed after so many steps at the latest, and then so many milliseconds, in which a step ends. */
const MOST_STEPS = 15
const LONGEST_STEP_MS = 60
const WRITERS = 4
/** Papers that a writer has at once. */
const MOST_PAPERS = 4

/** Few, so that uploads, records and the sweep meet at the same bytes. */
const CONTENTS = contentsOf([0, 1, 1000, 100_000, 1_200_000])

/** A paper that was removed. */
const GONE = 'gone'

const hashesOf = (files: readonly { readonly sha256: string }[]): string => files.map(({ sha256 }) => sha256).join()

/** One client, which knows what papers of its own must have. */
class Writer {
  readonly #random: Random
  /** What each paper may have: what the last answer says, and what a request without an answer may have done. */
  readonly #papers = new Map<number, string[]>()
  /** Ids of files that papers have given up. */
  #former: { readonly paper: number; readonly id: string; readonly sha256: string } | undefined
  /** Requests that succeeded, and those that a kill ended. */
  done = 0
  cut: string[] = []

  constructor(seed: number) {
    this.#random = new Random(seed)
  }

  /** Sends requests until the server is gone. */
  async write(server: PaperServer): Promise<void> {
    for (;;) {
      const [paper] = this.#random.once(3) ? [] : [this.#random.pick([...this.#present, 0])]
      const step = paper === undefined || paper === 0 ? 'create' : this.#random.pick<Step>(this.#isFull ? ['remove'] : STEPS)
      try {
        await this[step](server, paper ?? 0)
        this.done++
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        this.cut.push(step)
        return
      }
    }
  }

  /** Papers that were not removed. */
  get #present(): readonly number[] {
    return [...this.#papers].flatMap(([paper, possible]) => (possible.join() === GONE ? [] : paper))
  }

  get #isFull(): boolean {
    return this.#present.length > MOST_PAPERS
  }

  #contents(): readonly Content[] {
    return Array.from({ length: 1 + this.#random.below(2) }, () => this.#random.pick(CONTENTS))
  }

  async create(server: PaperServer): Promise<void> {
    const contents = this.#contents()
    const isForm = this.#random.once(2)
    const body = isForm ? formOf(contents, 'files', { data: {} }) : { data: { files: await upload(server, contents) } }
    const answer = await ask(server, 'POST models/paper', body)
    if (wasInTime(answer)) this.#papers.set(answer.data.id, [hashesOf(contents)])
  }

  async replace(server: PaperServer, paper: number): Promise<void> {
    const contents = this.#contents()
    await this.#set(server, paper, await upload(server, contents), contents)
  }

  async empty(server: PaperServer, paper: number): Promise<void> {
    await this.#set(server, paper, [], [])
  }

  /** Gives a paper the file again that it gave up last, which a sweep may remove meanwhile. */
  async restore(server: PaperServer): Promise<void> {
    const former = this.#former
    if (former !== undefined && this.#present.includes(former.paper)) await this.#set(server, former.paper, [former.id], [former])
  }

  async #set(server: PaperServer, paper: number, ids: readonly string[], contents: readonly { readonly sha256: string }[]) {
    const before = this.#papers.get(paper) ?? []
    const { data } = await ask(server, `GET models/paper/${paper}`)
    const [file] = data.files
    this.#papers.set(paper, [...before, hashesOf(contents)])
    const answer = await ask(server, `PUT models/paper/${paper}`, { data: { files: ids } })
    this.#papers.set(paper, wasInTime(answer) ? [hashesOf(contents)] : before)
    if (file !== undefined && answer.status === 200) this.#former = { ...file, paper }
  }

  async remove(server: PaperServer, paper: number): Promise<void> {
    this.#papers.set(paper, [...(this.#papers.get(paper) ?? []), GONE])
    const { status, text } = await ask(server, `DELETE models/paper/${paper}`)
    assert.equal(status, 200, text)
    this.#papers.set(paper, [GONE])
  }

  /** Asserts that what was acknowledged is there. */
  assertKept(papers: Awaited<ReturnType<typeof papersOf>>): void {
    for (const [paper, possible] of this.#papers) {
      const files = papers.get(paper)
      const present = files === undefined ? GONE : hashesOf(files)
      assert.ok(possible.includes(present), `paper ${paper} has ${present}; it may have ${possible.join(' or ')}`)
      if (present === GONE) this.#papers.delete(paper)
      else this.#papers.set(paper, [present])
    }
  }
}

type Step = 'replace' | 'empty' | 'restore' | 'remove'

const STEPS: readonly Step[] = ['replace', 'replace', 'empty', 'restore', 'remove']

/** True if a record was written; false if the sweep has removed an upload before, or a file that was given up. */
function wasInTime({ status, text }: Answer): boolean {
  if (status === 400) assert.match(text, /there is no upload/)
  else assert.ok(status === 200 || status === 201, text)
  return status !== 400
}

describe('files of processes that are killed', { timeout: 1_100_000, concurrency: true }, () => {
  for (const engine of ['embedded', 'postgres']) {
    const skip = engine === 'postgres' ? NO_POSTGRES : undefined
    test(`no record is without its bytes after ${KILLS} kills (${engine})`, { skip }, async (context) => {
      await using project = engine === 'postgres' ? await databaseProject(PAPERS) : await embeddedProject()
      const { folder, env } = project
      const random = new Random(7)
      const writers = Array.from({ length: WRITERS }, (_, index) => new Writer(1000 + index))
      const stepsDone = () => writers.reduce((sum, { done }) => sum + done, 0)
      for (let kill = 1; kill <= KILLS; kill++) {
        const server = await startPapers(folder.path, env)
        try {
          // The first upload takes longer: it starts a process that finds its type.
          await upload(server, CONTENTS.slice(0, 1))
          const enough = stepsDone() + random.below(MOST_STEPS)
          let isOver = false
          const written = Promise.all(writers.map((writer) => writer.write(server))).finally(() => {
            isOver = true
          })
          // The rejection is handled where the promise is awaited.
          written.catch(() => {})
          while (!isOver && stepsDone() < enough) await delay(1)
          await delay(random.below(LONGEST_STEP_MS))
          await server.child.kill()
          await written
        } finally {
          await server.child.kill()
        }
        const loaded = await loadProject({ folder: folder.path, env, flags: {} })
        const app = await openApp(loaded, 'write', { tokenCodec: jwtCodec })
        try {
          await assertWhole(app)
          const papers = await papersOf(app)
          for (const writer of writers) writer.assertKept(papers)
          // What a kill leaves goes with later sweeps, too.
          if (kill === KILLS || random.once(2)) await assertSwept(app)
        } finally {
          await app.close()
        }
      }
      const cut = writers.flatMap((writer) => writer.cut)
      const counts = [...new Set(cut)].map((step) => `${cut.filter((each) => each === step).length} × ${step}`)
      context.diagnostic(`${stepsDone()} steps were acknowledged; kills ended ${counts.join(', ')}`)
    })
  }
})

async function embeddedProject() {
  const folder = await makeProject(PAPERS)
  return { folder, env: {}, [Symbol.asyncDispose]: () => folder.remove() }
}
