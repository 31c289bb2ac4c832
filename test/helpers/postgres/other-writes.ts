import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What code in a process of its own waits for, so that another process writes meanwhile: a request to `address` with a number makes the write of that
 * number, the first time, and is answered when it is done.
 */
export async function openOtherWrites() {
  const writes = new Map<number, () => Promise<unknown>>()
  const server = createServer(async (request, response) => {
    const id = Number(request.url?.slice(1))
    const write = writes.get(id)
    writes.delete(id)
    // The test waits for the write too, and fails with it.
    await write?.().catch(() => {})
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    writes,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
