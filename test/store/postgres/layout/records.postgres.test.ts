import { NO_POSTGRES, sharedDatabase } from '../../../helpers/postgres/server.ts'
import { checkRecords } from './record-checks.ts'

checkRecords('PostgreSQL', sharedDatabase, NO_POSTGRES)
