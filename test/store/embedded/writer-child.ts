// Writes records one after the other until it is killed, and prints the id of each stored one.
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { libraryRegistry } from '../../helpers/store/library.ts'

const store = await FileStore.open(process.argv[2] ?? '', libraryRegistry(), 'write')
for (let number = 0; ; number++) {
  const outcome = await store.transact([{ kind: 'insert', table: 'genre', values: { name: `genre ${number}` } }])
  if (!outcome.ok) throw new Error('A record was refused')
  process.stdout.write(`${outcome.records.map(({ id }) => id).join()}\n`)
}
