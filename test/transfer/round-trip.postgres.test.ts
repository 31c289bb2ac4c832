import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { testRoundTrips } from './round-trips.ts'

testRoundTrips('postgres', 300, NO_POSTGRES)
