import { describe } from 'node:test'
import { NO_POSTGRES, sharedDatabase } from '../../helpers/postgres/server.ts'
import { testCopies } from './copies.ts'

describe('copies to a server and back', { skip: NO_POSTGRES }, () => testCopies(sharedDatabase))
