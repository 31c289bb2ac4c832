// Parses a JSON file (the first argument) in one piece, and reports the time without reading, the memory and the number of records.
import { readFileSync } from 'node:fs'
import { memoryInUse } from './memory.mjs'

const before = await memoryInUse()
let text = readFileSync(process.argv[2], 'utf8')
const begin = performance.now()
const document = JSON.parse(text)
const milliseconds = performance.now() - begin
text = undefined
const bytes = (await memoryInUse()) - before
process.stdout.write(JSON.stringify({ milliseconds, bytes, total: document.tables.member.records.length }))
