import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { comparedSearches } from './compared-searches.ts'

comparedSearches('PostgreSQL', sharedDatabase, 1000, NO_POSTGRES)
