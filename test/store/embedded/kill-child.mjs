// Several writers that write without pause until the process is killed. Uses the compiled code, which starts faster.
// Prints `+<id> <name>` for each stored record, `-<id> <name>` for each removed one, and when a compaction begins and ends.
import { writeSync } from 'node:fs'
import { ID_FIELD, makeField } from '../../../dist/model/field.js'
import { Model } from '../../../dist/model/model.js'
import { Registry } from '../../../dist/model/registry.js'
import { compactInThread } from '../../../dist/store/embedded/compaction/compact-thread.js'
import { FileStore } from '../../../dist/store/embedded/file-store.js'

const KEPT = 5
const [folder, prefix, writers] = process.argv.slice(2)
const name = makeField({ name: 'name', type: 'string', required: true, unique: true })
const registry = new Registry([new Model({ name: 'Genre', internal: false, timestamps: false, fields: [ID_FIELD, name] })])
// Synchronous, since the buffer of `process.stdout` would be lost with the process.
function say(line) {
  for (;;) {
    try {
      writeSync(1, `${line}\n`)
      return
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}

async function compact(task) {
  say('compaction begins')
  const result = await compactInThread(task)
  say('compaction ends')
  return result
}

const store = await FileStore.open(folder, registry, 'write', { minJournalBytes: 500, compact, warn: say })
let number = 0

async function commit(operation) {
  const outcome = await store.transact([operation])
  if (!outcome.ok) throw new Error('A change was rejected')
  return outcome.records[0].id
}

async function write() {
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
