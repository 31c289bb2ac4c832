import { describe } from 'node:test'
import { pglite } from '../../../helpers/postgres/pglite.ts'
import { testRenames } from './renames.ts'
import { testSteps } from './steps.ts'

describe('migrations on PGlite', () => {
  testSteps(pglite)
  testRenames(pglite)
})
