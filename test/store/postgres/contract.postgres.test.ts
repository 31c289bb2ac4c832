import { openPostgresStore } from '../../helpers/postgres/open-store.ts'
import { sharedDatabase } from '../../helpers/postgres/server.ts'
import { storeContract } from '../../helpers/store/store-contract.ts'
import { CONTRACT } from './contract-options.ts'

storeContract('PostgreSQL', async (registry) => openPostgresStore(await sharedDatabase(), registry), {
  ...CONTRACT,
  randomSteps: 900,
})
