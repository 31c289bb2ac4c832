import { describe } from 'node:test'
import { pglite } from '../../helpers/postgres/pglite.ts'
import { testCopies } from './copies.ts'

describe('copies to PGlite and back', () => testCopies(pglite))
