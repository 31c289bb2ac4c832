import { PgDatabase } from '../../../src/store/postgres/connection/pg-database.ts'
import { postgresFolder, startCluster } from './cluster.ts'

/** Address of a server that tests use in place of one of their own. */
const GIVEN = process.env.ADMIN_TEST_POSTGRES

/** Why tests on a server are skipped; undefined if there is a server. */
export const NO_POSTGRES = GIVEN === undefined && postgresFolder() === undefined ? 'PostgreSQL is not installed' : undefined

let address: Promise<string> | undefined

/** Address of the server of the tests: the one that `ADMIN_TEST_POSTGRES` names, or one that this process starts. */
export function serverAddress(): Promise<string> {
  address ??= GIVEN === undefined ? startCluster().then(({ socketUrl }) => socketUrl) : Promise.resolve(GIVEN)
  return address
}

/** Address of another database of that server. */
export async function databaseAddress(name: string): Promise<string> {
  const server = await serverAddress()
  return `${server}${server.includes('?') ? '&' : '?'}dbname=${encodeURIComponent(name)}`
}

let shared: Promise<PgDatabase> | undefined

/** The database that the tests of this process share, and none of them closes. Its connections do not keep the process alive. */
export function sharedDatabase(): Promise<PgDatabase> {
  shared ??= serverAddress().then((url) => new PgDatabase(url, { allowExit: true }))
  return shared
}
