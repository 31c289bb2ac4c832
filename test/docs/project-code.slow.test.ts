import { runDocument } from './document.ts'

runDocument('project-code.md')
