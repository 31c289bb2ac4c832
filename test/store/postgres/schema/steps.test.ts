import { describe } from 'node:test'
import { pglite } from '../../../helpers/postgres/pglite.ts'
import { testSteps } from './steps.ts'

describe('steps of a migration on PGlite', () => testSteps(pglite))
