import { NO_POSTGRES } from '../../helpers/postgres/server.ts'
import { apiOn } from './engine.ts'

apiOn('postgres', { skip: NO_POSTGRES })
