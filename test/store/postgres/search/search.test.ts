import { after } from 'node:test'
import { pglite } from '../../../helpers/postgres/pglite.ts'
import { comparedSearches } from './compared-searches.ts'

after(async () => (await pglite()).close())

comparedSearches('PostgreSQL in this process, by PGlite', pglite, 96)
