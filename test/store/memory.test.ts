import { MemoryStore } from '../../src/store/memory.ts'
import { storeContract } from '../helpers/store-contract.ts'

storeContract(
  'memory',
  (registry) => {
    const store = new MemoryStore(registry)
    return { store, close: () => store.close() }
  },
  { skip: { reopen: 'what is in memory is gone when the store is closed' } },
)
