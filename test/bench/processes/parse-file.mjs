// Parses a JSON file (the first argument) whole, and reports how long that took and what the result holds. Reading is not counted.
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
