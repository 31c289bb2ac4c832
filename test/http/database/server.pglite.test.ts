import { apiOn } from './engine.ts'

apiOn('pglite')
