import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { EventParser, type StreamEvent } from '../../client/subscription.ts'
import { systemWait, type Wait } from '../../client/transport.ts'
import { AppError } from '../../errors.ts'
import { printable } from '../../util/text.ts'
import { onServer } from '../api-client.ts'
import { type Io, writeAll } from '../io.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { bodyTextOf, UNCOMPRESSED } from '../server-fetch.ts'

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

/**
 * `admin events`: prints changes of records as they happen. Works beside a running server, or on a remote one.
 *
 * @param wait replaces the timer in tests
 */
export function eventsCommand(io: Io, wait: Wait = systemWait): Command {
  return withRemoteOptions(new Command('events').description('print changes of records as they happen, as NDJSON'))
    .option('--models <list>', 'models to print changes of, separated by commas (default: all)')
    .addHelpText('after', EXAMPLES)
    .action((options: EventsOptions) =>
      onServer(io, options, 'to report changes', (client) => printChanges(io, client, options, wait)),
    )
}

/** Prints one change a line until a signal requests a stop or the reader of stdout is gone. */
async function printChanges(io: Io, client: Client, { models }: EventsOptions, wait: Wait): Promise<void> {
  const stop = new AbortController()
  const onReady = () => {
    // First, so that a signal in answer to the message is not missed.
    io.stopRequested().then(() => stop.abort())
    io.stderr.write('Waiting for changes; stop with Ctrl-C\n')
  }
  try {
    await writeAll(io.stdout, changes(io, client, models, { stopped: stop.signal, onReady, wait }))
  } finally {
    stop.abort()
  }
}

/**
 * Reads changes as lines. When the stream ends, for example since the server has reloaded the project, it is opened again after the
 * last change.
 *
 * @throws {AdminError} when the stream cannot be opened
 */
async function* changes(
  io: Io,
  client: Client,
  models: string | undefined,
  { stopped, onReady, wait }: { readonly stopped: AbortSignal; readonly onReady: () => void; readonly wait: Wait },
): AsyncGenerator<string> {
  let lastEventId: string | undefined
  while (!stopped.aborted) {
    try {
      const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
      const headers = { Accept: 'text/event-stream', ...UNCOMPRESSED, ...resume }
      const response = await client.fetch('/events', { query: [['models', models]], headers, signal: stopped })
      const isFirst = lastEventId === undefined
      for await (const { type, data, id } of eventsIn(bodyTextOf(client.apiUrl, response))) {
        if (id !== undefined) lastEventId = id
        if (type === 'ready' && isFirst) onReady()
        if (type === 'reset' && id !== undefined) io.stderr.write(MISSED)
        if (type === 'change') yield `${printable(data)}\n`
      }
      await wait(REOPEN_MS, stopped)
    } catch (error) {
      if (!stopped.aborted) throw error
    }
  }
}

/** The events of a stream until it ends or breaks. */
async function* eventsIn(text: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  const parser = new EventParser()
  try {
    for await (const piece of text) yield* parser.push(piece)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}
