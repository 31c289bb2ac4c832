import { testFileRoundTrips } from './file-round-trips.ts'

testFileRoundTrips('embedded', async () => ({ env: {}, async drop() {} }))
