import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { testsOf } from '../tests-of.ts'
import { openTestApp, type TestApp, type TestAppOptions } from './app.ts'

/** What a server said on a connection until it closed it. */
export interface RawReply {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows what it asked for
  readonly json: any
  readonly text: string
}

export interface ListeningApp extends TestApp {
  readonly port: number
  /** `Authorization: Bearer …` of admin, with its line end. */
  readonly authorization: string
}

/** Opens an application that listens on a port of its own, does something with it, and closes it. */
export async function withListening(options: TestAppOptions, work: (app: ListeningApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ ...options, settings: { port: 0, ...options.settings } })
  await app.live.start()
  const authorization = `Authorization: Bearer ${await app.tokenOf('admin')}\r\n`
  await work({ ...app, port: Number(app.server.info.port), authorization })
}

/** Declares such a test. */
export const listeningTest = testsOf(withListening)

/** A connection on which nothing is said yet. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Sends bytes as they are, one part after the other has left, and reads until the server closes the connection. */
export async function speak(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawReply> {
  const socket = await open(port)
  const heard = listen(socket)
  for (const part of parts) {
    if (socket.destroyed) break
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), heard])
  }
  return heard
}

/** Reads until the server closes the connection; a reset is an end like any other, since what was read before it counts. */
export async function listen(socket: Socket): Promise<RawReply> {
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  socket.setTimeout(20_000, () => socket.destroy())
  await once(socket, 'close')
  return parse(text)
}

function parse(text: string): RawReply {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: */, '')]))
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {}
  return { status: Number(first.split(' ')[1]), headers, json, text }
}
