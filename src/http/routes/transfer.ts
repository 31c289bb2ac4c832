import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { DELIMITERS, type DelimiterName, MEDIA_TYPES } from '../../query/formats.ts'
import { Parameters } from '../../query/parameters.ts'
import type { FileImportOptions } from '../../transfer/imports.ts'
import type { Random } from '../../util/ids.ts'
import type { ConnectionLimits } from '../listener.ts'
import { apiRoots } from '../paths.ts'
import { originOf } from '../preconditions.ts'
import { actorOf, queryOf } from '../request.ts'
import { cutIfUnread, MULTIPART, uploadedFile } from '../upload.ts'

/**
 * Maximum number of rows of an import, so that one transaction does not block other requests for long. The CLI has no such
 * limit.
 */
const MAX_ROWS = 100_000

/** Amount of a file generated ahead of its reader, in bytes. */
const AHEAD = 512 * 1024

const UPLOADS = [...Object.values(MEDIA_TYPES), MULTIPART]

/** Export and import of records as files: an export shows one moment, an import is all or nothing. */
export function transferRoutes(
  { settings, exports, imports, records, history, log }: App,
  { random, connections }: { readonly random: Random; readonly connections: ConnectionLimits },
): ServerRoute[] {
  const { models } = apiRoots(settings)

  const exported = async (request: Request, h: ResponseToolkit) => {
    const { name, mediaType, text, close } = await exports.open(actorOf(request), modelOf(request), queryOf(request))
    cutIfUnread(request.raw.res, connections)
    const stream = Readable.from(inTurns(text), { objectMode: false, highWaterMark: AHEAD })
    // The connection is cut, so that a client does not take a part for the whole.
    stream.on('error', (error) => log.error('Export failed', { model: modelOf(request), error }))
    // A response to HEAD, or to a client that has left, is closed before anything is read.
    stream.on(
      'close',
      () => void close().catch((error: unknown) => log.error('Export failed', { model: modelOf(request), error })),
    )
    return h.response(stream).type(mediaType).header('Content-Disposition', `attachment; filename="${name}"`)
  }

  const imported = async (request: Request) => {
    const options = readOptions(queryOf(request))
    const file = await uploadedFile(String(request.headers['content-type']), request.payload as unknown as Buffer)
    const origin = history.isOn ? originOf(request, random) : {}
    const outcome = await imports.run(actorOf(request), modelOf(request), file, { ...options, origin })
    const { dryRun = false } = options
    const message = `${outcome.total} records ${dryRun ? 'would be' : ''} imported`.replace('  ', ' ')
    return { message, dry_run: dryRun, ...outcome }
  }

  return [
    {
      method: 'GET',
      path: `${models}/{model}/export`,
      handler: exported,
      options: { auth: 'bearer', plugins: { limitsUsers: true, admitsAnonymous: true, readsQuery: true } },
    },
    {
      method: 'POST',
      path: `${models}/{model}/import`,
      handler: imported,
      options: {
        auth: 'bearer',
        plugins: {
          ...{ limitsUsers: 'upload', readsQuery: true, takesFile: UPLOADS },
          admits: (request) => records.admit(actorOf(request), 'add', modelOf(request)),
        },
      },
    },
  ]
}

/** Yields to the event loop between pieces, since a fast reader would otherwise block other requests. */
async function* inTurns(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of text) {
    yield Buffer.from(piece)
    await setImmediate()
  }
}

/** @throws {AppError} INVALID_REQUEST */
function readOptions(query: string): FileImportOptions {
  const parameters = new Parameters(new URLSearchParams(query), ['dry_run', 'upsert_by', 'form_id', 'delimiter'])
  const options = {
    dryRun: parameters.flag('dry_run'),
    upsertBy: parameters.one('upsert_by'),
    formId: parameters.one('form_id'),
    delimiter: delimiterIn(parameters),
    maxRows: MAX_ROWS,
  }
  parameters.throwIfFaulty()
  return options
}

function delimiterIn(parameters: Parameters): DelimiterName | undefined {
  const named = parameters.one('delimiter')
  if (named === undefined || isDelimiterName(named)) return named
  parameters.fault('delimiter', `'delimiter' must be one of ${Object.keys(DELIMITERS).join(', ')}, not '${named}'`)
  return undefined
}

const isDelimiterName = (name: string): name is DelimiterName => Object.hasOwn(DELIMITERS, name)

const modelOf = (request: Request): string => String(request.params.model)
