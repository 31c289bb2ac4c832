import { describe } from 'node:test'
import { pglite } from '../../../helpers/postgres/pglite.ts'
import { testRenames } from './renames.ts'
import { testSteps } from './steps.ts'
import { testStoredNames } from './stored-names.ts'

describe('migrations on PGlite', () => {
  testSteps(pglite)
  testRenames(pglite)
  testStoredNames(pglite)
})
