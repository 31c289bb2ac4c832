import { SECRET_KEY } from '../helpers/postgres/cli-project.ts'
import { newSchema } from '../helpers/postgres/schemas.ts'
import { NO_POSTGRES, serverAddress, sharedDatabase } from '../helpers/postgres/server.ts'
import { testFileRoundTrips } from './file-round-trips.ts'

async function environment() {
  const { schema, drop } = newSchema(await sharedDatabase())
  return { env: { ADMIN_STORE: await serverAddress(), ADMIN_STORE__SCHEMA: schema, ADMIN_SECRET_KEY: SECRET_KEY }, drop }
}

testFileRoundTrips('PostgreSQL', environment, NO_POSTGRES)
