import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Lifecycle } from '@hapi/hapi'
import type { App } from '../../app.ts'
import type { Model } from '../../model/model.ts'
import type { ModelSource } from '../../openapi/document.ts'
import { answeredValue } from '../../openapi/field-schemas.ts'
import { body, type ContentObject, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { DRY_RUN, exportParameters } from '../../openapi/query-parameters.ts'
import { COUNT_SCHEMA, FLAG, nullable, object, ref, type Schema, TEXT, TEXTS } from '../../openapi/schema.ts'
import { DELIMITERS, type DelimiterName, EXPORT_MEDIA_TYPES, FORMATS, MEDIA_TYPES } from '../../query/formats.ts'
import { Parameters } from '../../query/parameters.ts'
import type { FileImportOptions } from '../../transfer/imports.ts'
import type { Description, ModelRoute, RouteSource, ServerParts } from '../api-route.ts'
import { MULTIPART } from '../multipart.ts'
import { originOf } from '../preconditions.ts'
import { actorOf, modelKeyOf, queryOf, readOptionsOf } from '../request.ts'
import { cutIfUnread, uploadedFile } from '../upload.ts'

/**
 * Maximum number of rows of an import, so that one transaction does not block other requests for long. The CLI has no such
 * limit.
 */
const MAX_ROWS = 100_000

/** Amount of a file generated ahead of its reader, in bytes. */
const AHEAD = 512 * 1024

/** A record as it is exported: stored fields, related records by id. */
function exportedRecord(model: Model): Schema {
  const members = model.visibleFields.map((field) => [field.name, answeredValue(field)] as const)
  return object(Object.fromEntries(members), ['id'])
}

/** Schema of what an import answers. Lower case, so that no model's schema has the same name. */
export const TRANSFER_SCHEMAS: Readonly<Record<string, Schema>> = {
  importResult: object({
    message: TEXT,
    dry_run: FLAG,
    created: COUNT_SCHEMA,
    updated: COUNT_SCHEMA,
    total: COUNT_SCHEMA,
    ignored: { ...TEXTS, description: "Columns of the file that are the server's to set" },
  }),
  importPreview: object({
    map: { type: 'object', description: 'The parameter `map`, guessed where it is not given' },
    ambiguous: { ...TEXTS, description: 'Formats that must be named, since the values can be read in several ways' },
    columns: {
      type: 'array',
      items: object({
        header: TEXT,
        field: { ...nullable(TEXT), description: 'As in `map.columns`; null for a column that is left out' },
        samples: TEXTS,
      }),
    },
    rows: {
      type: 'array',
      description: 'The first rows',
      items: object({
        row: COUNT_SCHEMA,
        line: nullable(COUNT_SCHEMA),
        texts: { type: 'object', additionalProperties: TEXT, description: 'The cells of the file by field' },
        values: { type: 'object', description: 'The values as they would be stored, by field' },
        errors: { type: 'object', additionalProperties: TEXTS, description: 'Messages by field' },
      }),
    },
  }),
}

/** Export and import of records as files: an export shows one moment, an import is all or nothing. */
export const transferRoutes = ({ roots: { models } }: RouteSource): ModelRoute[] => [
  {
    method: 'GET',
    path: `${models}/{model}/export`,
    access: 'view',
    describe({ model, registry, responses }) {
      const records: Schema = { type: 'array', items: exportedRecord(model) }
      return {
        operationId: `export${model.name}`,
        summary: `Export ${model.label} as a file`,
        description: 'All that match, at one moment. A file that fails is cut off.',
        tag: model.name,
        parameters: exportParameters(model, registry),
        answers: { 200: responses.success('The file', { ...asFile(records), ...WORKBOOK }, ['Content-Disposition']) },
      }
    },
    handler: exportFile,
  },
  {
    method: 'POST',
    path: `${models}/{model}/import`,
    access: 'add',
    limit: 'upload',
    takesFile: [...Object.values(MEDIA_TYPES), MULTIPART],
    describe: describeImport,
    handler: importFile,
  },
  {
    method: 'POST',
    path: `${models}/{model}/import/preview`,
    access: 'add',
    takesFile: [...Object.values(MEDIA_TYPES), MULTIPART],
    describe: (source) => ({
      ...describeImport(source),
      operationId: `previewImport${source.model.name}`,
      summary: `Show how a file of ${source.model.label} would be imported`,
      description: 'Guesses what `map` leaves open, and reads the first rows. Nothing is stored.',
      parameters: importParameters(source),
      answers: {
        200: source.responses.success('The map and the first rows', jsonContent(object({ data: ref('importPreview') }))),
      },
    }),
    handler: previewImport,
  },
]

/** The same records in every file format. */
const asFile = (records: Schema): ContentObject =>
  Object.fromEntries(FORMATS.map((format) => [MEDIA_TYPES[format], { schema: format === 'json' ? records : TEXT }]))

const WORKBOOK: ContentObject = { [EXPORT_MEDIA_TYPES.xlsx]: { schema: TEXT } }

const exportFile =
  (app: App, { connections }: ServerParts): Lifecycle.Method =>
  async (request, h) => {
    const { exports, log } = app
    const model = modelKeyOf(request)
    const options = readOptionsOf(request, app)
    const { name, mediaType, content, close } = await exports.open(actorOf(request), model, queryOf(request), options)
    cutIfUnread(request.raw.res, connections)
    const stream = Readable.from(inTurns(content), { objectMode: false, highWaterMark: AHEAD })
    const failed = (error: unknown) => {
      if (options.signal?.aborted !== true) log.error('Export failed', { model, error })
    }
    // The connection is cut, so that a client does not take a part for the whole.
    stream.on('error', failed)
    // A response to HEAD, or to a client that has left, is closed before anything is read.
    stream.on('close', () => void close().catch(failed))
    return h.response(stream).type(mediaType).header('Content-Disposition', `attachment; filename="${name}"`)
  }

const MAP: ParameterObject = {
  name: 'map',
  in: 'query',
  description:
    'JSON that says which fields the columns are and how the file writes days and numbers; cells may have labels of choices and names of related records',
  schema: TEXT,
  example: '{"columns":{"Name":"name","Remark":null},"dates":"dd.mm.yyyy","numbers":"1.234,56"}',
}

const LOCALE: ParameterObject = {
  name: 'locale',
  in: 'query',
  description: 'The language of days and numbers in the file, such as `de`: as `locale` in `map`',
  schema: TEXT,
}

function describeImport(source: ModelSource): Description {
  const { model, responses } = source
  const file: Schema = { description: 'The file. Its media type or its name determines the format' }
  const form = { [MULTIPART]: { schema: { ...object({ file }), additionalProperties: false } } }
  return {
    operationId: `import${model.name}`,
    summary: `Import ${model.label} from a file, all or none`,
    description: 'Held to what a create is held to; errors are by `<row>.<field>`, rows from 1.',
    tag: model.name,
    parameters: [DRY_RUN, ...importParameters(source)],
    requestBody: body({ ...asFile({ type: 'array', items: { type: 'object' } }), ...form }),
    answers: { 200: responses.success('What came of it', jsonContent(ref('importResult'))) },
    failures: ['conflict'],
  }
}

/** How a file is read, and what its records are held to. */
function importParameters({ model, forms, generatedForm }: ModelSource): readonly ParameterObject[] {
  const names = [...forms.map(({ form }) => form.name), ...(generatedForm === undefined ? [] : [generatedForm])]
  const keys = model.visibleFields.filter(({ unique }) => unique).map(({ name }) => name)
  const query = (name: string, description: string, values: readonly string[]): ParameterObject => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string', enum: values },
  })
  return [
    query('delimiter', 'Of a CSV file; found in its header when absent', Object.keys(DELIMITERS)),
    MAP,
    LOCALE,
    query('upsert_by', 'A unique field: records that have the same in it are updated', keys),
    ...(names.length === 0 ? [] : [query('form_id', 'The form to hold the records to', names)]),
  ]
}

const importFile =
  ({ imports, history, hasCode }: App, { random }: ServerParts): Lifecycle.Method =>
  async (request) => {
    const options = readOptions(queryOf(request), ['dry_run'])
    const file = await uploadedFile(String(request.headers['content-type']), request.payload as unknown as Buffer)
    const origin = history.isOn || hasCode ? originOf(request, random) : {}
    const outcome = await imports.run(actorOf(request), modelKeyOf(request), file, { ...options, origin })
    const { dryRun = false } = options
    const message = `${outcome.total} records ${dryRun ? 'would be ' : ''}imported`
    return { message, dry_run: dryRun, ...outcome }
  }

const previewImport =
  ({ imports, history, hasCode }: App, { random }: ServerParts): Lifecycle.Method =>
  async (request) => {
    const options = readOptions(queryOf(request), [])
    const file = await uploadedFile(String(request.headers['content-type']), request.payload as unknown as Buffer)
    const origin = history.isOn || hasCode ? originOf(request, random) : {}
    return { data: await imports.preview(actorOf(request), modelKeyOf(request), file, { ...options, origin }) }
  }

/** Yields to the event loop between pieces, since a fast reader would otherwise block other requests. */
async function* inTurns(content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    yield typeof piece === 'string' ? Buffer.from(piece) : piece
    await setImmediate()
  }
}

/** @throws {AppError} INVALID_REQUEST */
function readOptions(query: string, others: readonly 'dry_run'[]): FileImportOptions {
  const parameters = new Parameters(new URLSearchParams(query), [...others, 'upsert_by', 'form_id', 'delimiter', 'map', 'locale'])
  const options = {
    dryRun: parameters.flag('dry_run'),
    upsertBy: parameters.one('upsert_by'),
    formId: parameters.one('form_id'),
    delimiter: delimiterIn(parameters),
    map: mapIn(parameters),
    locale: parameters.one('locale'),
    maxRows: MAX_ROWS,
  }
  parameters.throwIfFaulty()
  return options
}

function mapIn(parameters: Parameters): unknown {
  const text = parameters.one('map')
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    parameters.fault('map', `'map' must be JSON such as {"columns": {"Name": "name"}}, percent-encoded`)
    return undefined
  }
}

function delimiterIn(parameters: Parameters): DelimiterName | undefined {
  const named = parameters.one('delimiter')
  if (named === undefined || isDelimiterName(named)) return named
  parameters.fault('delimiter', `'delimiter' must be one of ${Object.keys(DELIMITERS).join(', ')}, not '${named}'`)
  return undefined
}

const isDelimiterName = (name: string): name is DelimiterName => Object.hasOwn(DELIMITERS, name)
