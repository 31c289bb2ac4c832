import { after } from 'node:test'
import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { comparedSearches } from './compared-searches.ts'

after(async () => {
  if (NO_POSTGRES === undefined) await (await sharedDatabase()).close()
})

comparedSearches('PostgreSQL', sharedDatabase, 1000, NO_POSTGRES)
