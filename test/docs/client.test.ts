import { runDocument } from './document.ts'

runDocument('client.md')
