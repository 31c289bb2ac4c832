import { runDocument } from './document.ts'

runDocument('webhooks.md')
