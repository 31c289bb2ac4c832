import { MemoryStore } from '../../src/store/memory.ts'
import { storeContract } from '../helpers/store-contract.ts'

const skip = { reopen: 'what is in memory is gone when the store is closed' }

for (const [name, options] of [
  ['memory', {}],
  ['memory, small tables indexed too', { smallTable: 0 }],
] as const) {
  storeContract(
    name,
    (registry) => {
      const store = new MemoryStore(registry, options)
      return { store, close: () => store.close() }
    },
    { skip },
  )
}
