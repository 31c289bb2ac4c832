import { repetitions } from '../helpers/counts.ts'
import { NO_POSTGRES } from '../helpers/postgres/server.ts'
import { testRoundTrips } from './round-trips.ts'

testRoundTrips('embedded', repetitions(3000, 10_000))
testRoundTrips('postgres', repetitions(3000, 10_000), NO_POSTGRES)
