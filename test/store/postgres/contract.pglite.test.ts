import { openPostgresStore } from '../../helpers/postgres/open-store.ts'
import { pglite } from '../../helpers/postgres/pglite.ts'
import { storeContract } from '../../helpers/store/store-contract.ts'
import { CONTRACT } from './contract-options.ts'

storeContract('PostgreSQL in this process, by PGlite', async (registry) => openPostgresStore(await pglite(), registry), {
  ...CONTRACT,
  randomSteps: 600,
})
