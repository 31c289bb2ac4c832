// Several writers that add genres as fast as they can until the process is killed. Says `<id> <name>` of each that is kept.
import { FileStore } from '../../src/store/file.ts'
import { libraryRegistry } from '../helpers/store-contract/library.ts'

const [folder = '', prefix = '', writers = '1'] = process.argv.slice(2)
const store = await FileStore.open(folder, libraryRegistry(), 'write', { minJournalBytes: 2000 })
let number = 0

async function write(): Promise<void> {
  for (;;) {
    const name = `${prefix}-${number++}`
    const outcome = await store.transact([{ kind: 'insert', table: 'genre', values: { name } }])
    if (!outcome.ok) throw new Error('A record was refused')
    process.stdout.write(`${outcome.records.map(({ id }) => id).join()} ${name}\n`)
  }
}

await Promise.all(Array.from({ length: Number(writers) }, write))
