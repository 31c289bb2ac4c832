import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { ConnectionLimits } from './listener.ts'

/**
 * Cuts the connection of a response whose client takes nothing for `unreadTimeout` while bytes wait for it. For responses that hold resources of
 * others until they are read, such as a connection to the database.
 */
export function cutIfUnread(
  response: ServerResponse,
  { unreadTimeout, idleTimeout }: Pick<ConnectionLimits, 'unreadTimeout' | 'idleTimeout'>,
): void {
  // A request that is injected comes from no connection.
  if (!(response.req.socket instanceof Socket)) return
  // Node.js counts a partly sent chunk as activity, so a slow client is not cut.
  response.setTimeout(unreadTimeout, (socket?: Socket) => {
    if (socket === undefined) return
    if (socket.writableLength > 0) socket.destroy()
    // The client waits for the server.
    else socket.setTimeout(unreadTimeout)
  })
  // Before Node.js sets the timeout of a connection without a request.
  response.prependOnceListener('finish', () => response.socket?.setTimeout(idleTimeout))
}
