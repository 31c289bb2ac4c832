import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { MEDIA_TYPES } from '../../query/formats.ts'
import { Parameters } from '../../query/parameters.ts'
import type { ImportOptions } from '../../transfer/imports.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, queryOf } from '../requests/request.ts'
import { MULTIPART, uploadedFile } from '../requests/upload.ts'

/** What one transaction may hold without keeping everybody else waiting for long; the shell takes more. */
const MAX_ROWS = 100_000

/** How much of a file is made ahead of its reader, in bytes. */
const AHEAD = 512 * 1024

const UPLOADS = [...Object.values(MEDIA_TYPES), MULTIPART]

/** Records as files: taken out as they are at one moment, and put in, all or none. */
export function transferRoutes({ settings, exports, imports, log }: App): ServerRoute[] {
  const { models } = apiRoots(settings)

  const exported = async (request: Request, h: ResponseToolkit) => {
    const { name, mediaType, text } = await exports.open(actorOf(request), modelOf(request), queryOf(request))
    const stream = Readable.from(inTurns(text), { objectMode: false, highWaterMark: AHEAD })
    // The connection is cut then, so that nobody takes a part for the whole.
    stream.on('error', (error) => log.error('Export failed', { model: modelOf(request), error }))
    return h.response(stream).type(mediaType).header('Content-Disposition', `attachment; filename="${name}"`)
  }

  const imported = async (request: Request) => {
    const options = readOptions(queryOf(request))
    const file = await uploadedFile(String(request.headers['content-type']), request.payload as unknown as Buffer)
    const outcome = await imports.run(actorOf(request), modelOf(request), file, options)
    const { dryRun = false } = options
    const message = `${outcome.total} records ${dryRun ? 'would be' : ''} imported`.replace('  ', ' ')
    return { message, dry_run: dryRun, ...outcome }
  }

  return [
    {
      method: 'GET',
      path: `${models}/{model}/export`,
      handler: exported,
      options: { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true } },
    },
    {
      method: 'POST',
      path: `${models}/{model}/import`,
      handler: imported,
      options: { auth: 'bearer', plugins: { limitsUsers: 'upload', readsQuery: true, takesFile: UPLOADS } },
    },
  ]
}

/** A reader who is as quick as the writer would otherwise keep all others waiting. */
async function* inTurns(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of text) {
    yield Buffer.from(piece)
    await setImmediate()
  }
}

/** @throws {AppError} INVALID_REQUEST */
function readOptions(query: string): ImportOptions {
  const parameters = new Parameters(new URLSearchParams(query), ['dry_run', 'upsert_by', 'form_id'])
  const options = {
    dryRun: parameters.flag('dry_run'),
    upsertBy: parameters.one('upsert_by'),
    formId: parameters.one('form_id'),
    maxRows: MAX_ROWS,
  }
  parameters.throwIfFaulty()
  return options
}

const modelOf = (request: Request): string => String(request.params.model)
