import { setTimeout as delay } from 'node:timers/promises'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { printable } from '../../util/text.ts'
import { expectServer } from '../api-client.ts'
import { openStream, type ServerConnection, serverEvents } from '../http-requests.ts'
import { type Io, writeAll } from '../io.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { withRetries } from '../retry-limit.ts'

type EventsOptions = RemoteOptions & { readonly models?: string }

/** Delay before a stream that has ended is opened again, in milliseconds. */
const REOPEN_MS = 1000

const MISSED =
  'Changes may have been missed: the server was started again, or has replaced its data, or too many records have changed\n'

const EXAMPLES = `
Examples:
  $ admin events --models post,comment
  $ admin events | jq --unbuffered -r .model
`

/** Waits; rejects when the signal is aborted. */
type Wait = (milliseconds: number, value: undefined, options: { signal?: AbortSignal }) => Promise<unknown>

/**
 * `admin events`: prints changes of records as they happen. Works beside a running server, or on a remote one.
 *
 * @param wait replaces the timer in tests
 */
export function eventsCommand(io: Io, wait: Wait = delay): Command {
  return withRemoteOptions(new Command('events').description('print changes of records as they happen, as NDJSON'))
    .option('--models <list>', 'models to print changes of, separated by commas (default: all)')
    .addHelpText('after', EXAMPLES)
    .action((options: EventsOptions) => printChanges(io, options, wait))
}

/** Prints one change a line until a signal requests a stop or the reader of stdout is gone. */
async function printChanges(io: Io, options: EventsOptions, wait: Wait): Promise<void> {
  const connection = await expectServer(io, options, 'to report changes')
  const stop = new AbortController()
  const onReady = () => {
    // First, so that a signal in answer to the message is not missed.
    io.stopRequested().then(() => stop.abort())
    io.stderr.write('Waiting for changes; stop with Ctrl-C\n')
  }
  const query = options.models === undefined ? '' : `?${new URLSearchParams({ models: options.models })}`
  try {
    await writeAll(io.stdout, changes(io, connection, `/events${query}`, { stopped: stop.signal, onReady, wait }))
  } finally {
    stop.abort()
  }
}

/**
 * Reads changes as lines. When the stream ends, for example since the server has reloaded the project, it is opened again after the
 * last change.
 *
 * @throws {AppError} when the stream cannot be opened
 */
async function* changes(
  io: Io,
  connection: ServerConnection,
  path: string,
  { stopped, onReady, wait }: { readonly stopped: AbortSignal; readonly onReady: () => void; readonly wait: Wait },
): AsyncGenerator<string> {
  let lastEventId: string | undefined
  while (!stopped.aborted) {
    try {
      const open = () => openStream(connection, path, { lastEventId, signal: stopped })
      const text = await withRetries(io, open, { stopped, wait })
      const isFirst = lastEventId === undefined
      for await (const { type, data, id } of serverEvents(untilCutOff(text))) {
        if (id !== undefined) lastEventId = id
        if (type === 'ready' && isFirst) onReady()
        if (type === 'reset' && id !== undefined) io.stderr.write(MISSED)
        if (type === 'change') yield `${printable(data)}\n`
      }
      await wait(REOPEN_MS, undefined, { signal: stopped })
    } catch (error) {
      if (!stopped.aborted) throw error
    }
  }
}

/** The text of a stream until it ends or breaks. */
async function* untilCutOff(text: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* text
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
