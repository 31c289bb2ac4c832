// Several writers that work as fast as they can until the process is killed. It is the compiled code, so that it starts fast.
// Says `+<id> <name>` of each record that is stored, `-<id> <name>` of each that is removed again, and when it compacts.
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
// Not by way of `process.stdout`, which keeps in memory what nobody has read yet: that would die with the process.
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
  if (!outcome.ok) throw new Error('A change was refused')
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
