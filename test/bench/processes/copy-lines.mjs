// Reads an NDJSON file, parses each line and writes it again: the least that an import of the file can do.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'

const [, , from = '', to = ''] = process.argv
const file = await open(to, 'w')
let piece = ''
for await (const line of createInterface({ input: createReadStream(from) })) {
  piece += `${JSON.stringify(JSON.parse(line))}\n`
  if (piece.length < 1 << 20) continue
  await file.writeFile(piece)
  piece = ''
}
await file.writeFile(piece)
await file.sync()
await file.close()
