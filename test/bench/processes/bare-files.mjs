// The bare servers of the bench of files. Arguments: a folder and the secret of tokens. Prints the addresses of a server of Node.js and of one of hapi.
import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Hapi from '@hapi/hapi'
import Jwt from '@hapi/jwt'

const [folder, secret] = process.argv.slice(2)
let count = 0

/** Pipes a body to a file and syncs it. */
async function receive(request, response) {
  const path = join(folder, `received-${count++}`)
  await pipeline(request, createWriteStream(path, { flags: 'wx', flush: true }))
  response.writeHead(201).end()
  await rm(path)
}

/** Writes, syncs and renames a file, and syncs its folder. */
async function store(bytes) {
  const name = `stored-${count++}`
  const file = await open(join(folder, `${name}.new`), 'wx')
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await rename(join(folder, `${name}.new`), join(folder, name))
  const parent = await open(folder, 'r')
  await parent.sync()
  await parent.close()
}

/** Stores as many files of a size as the query says, some at once, and answers with the milliseconds that it took. */
async function storeMany(parameters, response) {
  const [files, size, atOnce] = ['files', 'size', 'at_once'].map((name) => Number(parameters.get(name)))
  const bytes = Buffer.alloc(size, 'x')
  let left = files
  const begin = performance.now()
  const work = async () => {
    while (left-- > 0) await store(bytes)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  response.end(String(performance.now() - begin))
}

const plain = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/receive') await receive(request, response)
  else if (pathname === '/store') await storeMany(searchParams, response)
  else {
    const path = join(folder, 'large')
    response.setHeader('Content-Length', (await stat(path)).size)
    await pipeline(createReadStream(path, { highWaterMark: 256 << 10 }), response)
  }
})
await new Promise((resolve) => plain.listen(0, '127.0.0.1', resolve))

const server = Hapi.server({ host: '127.0.0.1', port: 0, compression: false })
await server.register(Jwt)
server.auth.strategy('jwt', 'jwt', {
  keys: { key: secret, algorithms: ['HS256'] },
  verify: { aud: 'admin-folder', iss: 'admin-folder', sub: false, nbf: true, exp: true },
  validate: () => ({ isValid: true }),
})
server.auth.default('jwt')
await writeFile(join(folder, 'small'), Buffer.alloc(30_000, 'x'))
server.route({
  method: 'GET',
  path: '/small',
  handler: async (_, h) =>
    h.entity({ etag: 'small' }) ?? h.response(await readFile(join(folder, 'small'))).type('application/pdf'),
})
await server.start()
process.stdout.write(`${JSON.stringify({ plain: `http://127.0.0.1:${plain.address().port}`, hapi: server.info.uri })}\n`)
process.once('disconnect', () => process.exit())
