import { pglite } from '../../../helpers/postgres/pglite.ts'
import { checkRecords } from './record-checks.ts'

checkRecords('PGlite', pglite, undefined)
