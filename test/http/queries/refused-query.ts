import assert from 'node:assert/strict'
import type { Scenario } from '../../helpers/api/scenario.ts'

/** A list of users whose query is rejected because of one parameter. */
export const refusedQuery = (query: string, parameter: string, details: RegExp): Scenario => ({
  name: `refuses ${query}`,
  request: `GET /api/v1/models/user?${query}`,
  status: 400,
  expectPart: { error: 'Invalid request data', status_code: 400 },
  check: ({ json }) => {
    assert.deepEqual(Object.keys(json.details), [parameter])
    assert.match(JSON.stringify(json.details), details)
  },
})
