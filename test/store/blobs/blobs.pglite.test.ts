import { pglite } from '../../helpers/postgres/pglite.ts'
import { blobContract } from '../../helpers/store/blob-contract.ts'
import { inDatabase } from './database-places.ts'

blobContract(
  'in PostgreSQL in this process, by PGlite',
  inDatabase(async () => [await pglite(), await pglite()]),
  { fullAt: [], excludes: false },
)
