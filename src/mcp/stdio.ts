import type { Readable, Writable } from 'node:stream'
import { type McpOptions, mcpServers } from './server.ts'

/** The streams of a connection, and what ends it beside the end of its input. */
interface Connection {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stopped: Promise<unknown>
}

/** Serves the Model Context Protocol over two streams, until the client closes its end or a stop is requested. */
export async function serveOverStdio(options: McpOptions, { stdin, stdout, stopped }: Connection): Promise<void> {
  const [{ serveStdio, StdioServerTransport }, server] = await Promise.all([
    import('@modelcontextprotocol/server/stdio'),
    mcpServers(options),
  ])
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve).once('close', resolve).once('error', resolve)
  })
  const transport = new StdioServerTransport(stdin, stdout)
  const handle = serveStdio(server, { transport, onerror: options.onFault })
  await Promise.race([ended, stopped])
  await handle.close()
}
