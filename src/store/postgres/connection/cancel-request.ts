import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { DatabaseAddress } from './address.ts'

/** Identifies a session of the server, by the message BackendKeyData. */
export interface SessionKey {
  readonly processID: number
  readonly secretKey: number
}

/** The host and port to which a connection was made. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Codes in place of a protocol version, by which the server recognises these requests. */
const CANCEL_REQUEST = 80_877_102
const SSL_REQUEST = 80_877_103

/** Answer of the server to an SSLRequest that it accepts. */
const ACCEPTED = 'S'

/**
 * Asks the server to cancel the statement that a session executes, over a connection of its own, as the protocol demands. A pooler passes the
 * request on. The statement may have ended already, so that the request may reach the next one: the session must not be used again.
 *
 * @returns resolves when the server has closed the connection; rejects if it cannot be reached
 */
export async function requestCancel(
  { host, port }: Endpoint,
  tls: DatabaseAddress['tls'],
  { processID, secretKey }: SessionKey,
  timeout: number,
): Promise<void> {
  const plain = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  plain.setTimeout(timeout, () => plain.destroy(new Error('The server did not answer a cancel request')))
  const socket = tls === false ? plain : await secured(plain, host, tls)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    // Ends the connection only when the server does, so that the request has been executed.
    socket.resume()
    socket.write(message(CANCEL_REQUEST, processID, secretKey))
  })
}

async function secured(plain: Socket, host: string, tls: Exclude<DatabaseAddress['tls'], false>): Promise<Socket> {
  plain.write(message(SSL_REQUEST))
  const answer = await new Promise<Buffer>((resolve, reject) => {
    plain.once('data', resolve)
    plain.once('error', reject)
    plain.once('close', () => reject(new Error('The server closed the connection of a cancel request')))
  })
  if (answer.toString('latin1') !== ACCEPTED) {
    plain.destroy()
    throw new Error('The server does not accept TLS for a cancel request')
  }
  return connectTls({ ...tls, socket: plain, host })
}

/** A message of 32-bit integers, which begins with its length in bytes. */
function message(...words: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * (words.length + 1))
  buffer.writeInt32BE(buffer.length)
  for (const [index, word] of words.entries()) buffer.writeInt32BE(word | 0, 4 * (index + 1))
  return buffer
}
