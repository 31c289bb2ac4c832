import { runDocument } from './document.ts'

runDocument('quick-start.md')
