import { after } from 'node:test'
import { openPostgresStore } from '../../helpers/postgres/open-store.ts'
import { sharedDatabase } from '../../helpers/postgres/server.ts'
import { storeContract } from '../../helpers/store/store-contract.ts'
import { CONTRACT } from './contract-options.ts'

after(async () => (await sharedDatabase()).close())

storeContract('PostgreSQL', async (registry) => openPostgresStore(await sharedDatabase(), registry), {
  ...CONTRACT,
  randomSteps: 900,
})
