import { testRoundTrips } from './round-trips.ts'

testRoundTrips('embedded', 300)
