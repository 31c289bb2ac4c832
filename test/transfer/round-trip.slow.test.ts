import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { testRoundTrips } from './round-trips.ts'

testRoundTrips('embedded', 10_000)
testRoundTrips('postgres', 10_000, NO_POSTGRES)
