// Several writers that write without pause until the process is killed.
// Prints `+<id> <name>` for each stored record, `-<id> <name>` for each removed one, and when a compaction begins and ends.
import { writeSync } from 'node:fs'
import { ID_FIELD, makeField } from '../../../src/model/field.ts'
import { Model } from '../../../src/model/model.ts'
import { Registry } from '../../../src/model/registry.ts'
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { type CompactionRunner, compactInThread } from '../../../src/store/embedded/files/compact.ts'
import type { Operation } from '../../../src/store/store.ts'

const KEPT = 5
const [folder = '', prefix, writers] = process.argv.slice(2)
const name = makeField({ name: 'name', type: 'string', required: true, unique: true })
const genre = { name: 'Genre', label: undefined, displayField: undefined, internal: false, timestamps: false }
const registry = new Registry([new Model({ ...genre, fields: [ID_FIELD, name] })])
// Synchronous, since the buffer of `process.stdout` would be lost with the process.
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

const compact: CompactionRunner = async (task) => {
  say('compaction begins')
  const result = await compactInThread(task)
  say('compaction ends')
  return result
}

const store = await FileStore.open(folder, registry, 'write', { minJournalBytes: 500, compact, warn: say })
let number = 0

async function commit(operation: Operation) {
  const outcome = await store.transact([operation])
  if (!outcome.ok) throw new Error('A change was rejected')
  return outcome.records[0]?.id ?? 0
}

async function write(): Promise<never> {
  for (;;) {
    const mine = number++
    const name = `${prefix}-${mine}`
    const id = await commit({ kind: 'insert', table: 'genre', values: { name } })
    say(`+${id} ${name}`)
    if (mine % KEPT === 0) continue
    await commit({ kind: 'remove', table: 'genre', id })
    say(`-${id} ${name}`)
  }
}

await Promise.all(Array.from({ length: Number(writers) }, write))
