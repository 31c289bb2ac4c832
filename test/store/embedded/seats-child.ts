// Sixteen writers take and give back the same seats until the process is killed. Each seat that is stored or removed is printed.
import { FileStore } from '../../../src/store/embedded/file-store.ts'
import { ROWS, seatRegistry } from './seats.ts'

const WRITERS = 16

const [folder = '', seed = '1'] = process.argv.slice(2)
const store = await FileStore.open(folder, seatRegistry(), 'write')
let state = Number(seed)
/** A small generator of the same numbers every time (Marsaglia, xorshift). */
function upTo(end: number): number {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return (state >>> 0) % end
}

async function write(): Promise<never> {
  for (;;) {
    const seat = { row: upTo(ROWS), number: upTo(ROWS) }
    const outcome = await store.transact([{ kind: 'insert', table: 'seat', values: seat }])
    if (outcome.ok) process.stdout.write(`+ ${seat.row} ${seat.number}\n`)
    else if (outcome.violations.some(({ kind }) => kind !== 'unique')) throw new Error(JSON.stringify(outcome.violations))
    const id = outcome.ok && upTo(4) === 0 ? outcome.records[0]?.id : undefined
    if (id === undefined) continue
    process.stdout.write(`? ${seat.row} ${seat.number}\n`)
    await store.transact([{ kind: 'remove', table: 'seat', id }])
    process.stdout.write(`- ${seat.row} ${seat.number}\n`)
  }
}

await Promise.all(Array.from({ length: WRITERS }, write))
