import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Lifecycle } from '@hapi/hapi'
import type { App } from '../../app.ts'
import type { EventSink } from '../../events/event-streams.ts'
import { REPORT_SCHEMA } from '../../lint/formats.ts'
import { jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COMPLETE, namesParameter } from '../../openapi/query-parameters.ts'
import { COUNT_SCHEMA, FLAG, nullable, object, oneName, ref, type Schema, TEXT, TEXTS } from '../../openapi/schema.ts'
import { GROUP_ORDERS, PANEL_KINDS, PANEL_SIZES } from '../../project/dashboard.ts'
import { MEASURES } from '../../query/aggregate.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { tokenIn } from '../authentication.ts'
import { jsonResponse } from '../json.ts'
import { taggedResponse } from '../preconditions.ts'
import { actorOf, parametersOf, queryOf, readOptionsOf } from '../request.ts'
import { HIT_MATCHES } from './records.ts'

const CAPABILITIES = [
  'history',
  'files',
  'search',
  'import',
  'webhooks',
  'snapshots',
  'mock',
  'lint',
  'events',
  'openapi',
  'saved_views',
  'share_views',
]

const fieldMembers = {
  ...{
    name: TEXT,
    type: TEXT,
    label: TEXT,
    help_text: nullable(TEXT),
    required: FLAG,
    unique: FLAG,
    readonly: FLAG,
    sortable: FLAG,
    operators: TEXTS,
  },
  choices: nullable({ type: 'array', items: object({ value: {}, label: TEXT, color: TEXT }, ['value']) }),
  bounds: { type: 'object', additionalProperties: true, description: 'Limits of values, such as `max_length` and `gte`' },
  relation: nullable(object({ name: TEXT, model: TEXT, on_delete: TEXT })),
} as const satisfies Record<string, Schema>

const LENGTH: Schema = nullable({ type: 'integer', minimum: 1 })

const siteFile: Schema = {
  ...object({
    ...{
      multiple: FLAG,
      max_files: COUNT_SCHEMA,
      max_size: { ...COUNT_SCHEMA, description: 'In bytes' },
      accept: nullable(TEXTS),
    },
    thumbnails: {
      type: 'object',
      additionalProperties: object({ width: LENGTH, height: LENGTH, fit: oneName(['cover', 'inside']) }),
    },
    ...{ min_width: LENGTH, min_height: LENGTH },
  }),
  description: 'What a field of files accepts; absent for other fields',
}

/** @param hasFiles whether a model of the project has fields of files */
const siteField = (hasFiles: boolean): Schema =>
  object(
    {
      ...fieldMembers,
      default: {
        description: 'Value of a new record without one; `today`, `now` and `{user: id}` as in the model; absent for none',
      },
      ...(hasFiles ? { file: siteFile } : {}),
    },
    Object.keys(fieldMembers),
  )

const inputMembers = {
  input: { type: 'array', items: ref('fieldView') },
  input_fields: { type: 'array', items: ref('siteField') },
} as const satisfies Record<string, Schema>

const siteAction = object({
  ...{ name: TEXT, title: TEXT, icon: nullable(TEXT), tone: oneName(['default', 'danger']), confirm: nullable(TEXT) },
  ...{ on: oneName(['record', 'selection', 'model']), when: nullable(TEXT) },
  ...inputMembers,
  can: FLAG,
})

const siteJob = object({ name: TEXT, schedule: nullable(TEXT), timezone: nullable(TEXT), ...inputMembers })

const siteView = object({
  ...{ id: { type: 'integer' }, name: TEXT, model: TEXT, query: nullable(TEXT), look: {} },
  ...{ user_id: { type: 'integer' }, groups: { type: 'array', items: { type: 'integer' } }, everyone: nullable(FLAG) },
  default_for: nullable(oneName(['user', 'all'])),
  updated_at: nullable(TEXT),
  etag: { ...TEXT, description: 'The version of the record, for `If-Match`' },
  can: { type: 'array', items: oneName(['change', 'delete']) },
})

const sitePanel = object({
  ...{ title: TEXT, kind: oneName(PANEL_KINDS), model: TEXT, filters: TEXTS, group_by: nullable(TEXT) },
  measure: nullable(object({ name: oneName(['count', ...MEASURES]), field: nullable(TEXT) })),
  sort: nullable({ anyOf: [oneName(GROUP_ORDERS), TEXTS] }),
  ...{ limit: nullable(COUNT_SCHEMA), link: nullable({ anyOf: [TEXT, FLAG] }), size: nullable(oneName(PANEL_SIZES)) },
})

const modelMembers = {
  ...{ key: TEXT, name: TEXT, label: TEXT, display_field: TEXT, group: nullable(TEXT), icon: nullable(TEXT) },
  can: { type: 'array', items: oneName(['view', 'add', 'change', 'delete']) },
  count: { ...COUNT_SCHEMA, description: 'Number of records that the user may view; absent without that permission' },
  searchable: FLAG,
  history: { ...FLAG, description: 'True if changes of its records are recorded' },
  unique_together: {
    type: 'array',
    items: TEXTS,
    description: 'Sets of fields whose values together are unique; absent without one',
  },
  fields: { type: 'array', items: ref('siteField') },
  actions: { type: 'array', items: siteAction },
  referenced_by: { type: 'array', items: object({ model: TEXT, field: TEXT, on_delete: TEXT, name: nullable(TEXT) }) },
} as const satisfies Record<string, Schema>

/** Schemas of the site, with jobs and files if the project has some. Lower case, so that no model's schema has the same name. */
export function siteSchemas({
  jobs,
  dashboard,
  registry,
}: Pick<RouteSource, 'jobs' | 'registry'> & { readonly dashboard: unknown }): Readonly<Record<string, Schema>> {
  const ofJobs = jobs.size === 0 ? {} : { jobs: { type: 'array', items: siteJob, description: 'For superusers' } as const }
  const ofDashboard =
    dashboard === undefined
      ? {}
      : {
          dashboard: {
            type: 'array',
            items: sitePanel,
            description: 'The panels of the first page that the user may see',
          } as const,
        }
  const members = {
    ...{ title: TEXT, accent: nullable(TEXT), logo: nullable(TEXT), version: TEXT, api_root: TEXT },
    user: object({
      id: nullable({ type: 'integer' }),
      username: nullable(TEXT),
      is_superuser: FLAG,
      groups: { type: 'array', items: object({ id: { type: 'integer' }, name: TEXT }) },
    }),
    capabilities: object(Object.fromEntries(CAPABILITIES.map((name) => [name, FLAG]))),
    limits: object({
      page_size: COUNT_SCHEMA,
      bulk_size: COUNT_SCHEMA,
      upload_bytes: COUNT_SCHEMA,
      record_bytes: COUNT_SCHEMA,
      requests_per_minute: nullable(COUNT_SCHEMA),
    }),
    models: {
      type: 'array',
      items: object(
        modelMembers,
        Object.keys(modelMembers).filter((name) => name !== 'count' && name !== 'unique_together'),
      ),
    },
    saved_views: {
      type: 'array',
      items: siteView,
      description: 'The saved views of the user, of the groups of the user, and of everyone, by name; at most 500',
    },
  } as const
  return {
    siteField: siteField(registry.withFiles.length > 0),
    site: object({ ...members, ...ofJobs, ...ofDashboard }, Object.keys(members)),
  }
}

/** The schema of the report without its dialect, which the document states. */
function reportSchema(): Schema {
  const { $schema: _, title: __, ...schema } = REPORT_SCHEMA
  return schema as unknown as Schema
}

const HIT = object({
  ...{ model: TEXT, id: { type: 'integer', minimum: 1 }, label: TEXT, score: { type: 'number' } },
  matches: HIT_MATCHES,
} as const)

const RESUME: ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last event that the client has; the stream goes on after it',
  schema: TEXT,
}

/** The routes that span all models: the site, the search, live events, findings of lint. */
export function siteRoutes({ registry, roots, responses }: RouteSource): ApiRoute[] {
  const common = { method: 'GET', tag: 'site', access: 'token', keys: 'scoped' } as const
  const models = oneName(registry.public.map(({ key }) => key))
  return [
    {
      ...common,
      path: roots.site,
      operationId: 'getSite',
      summary: 'The models that the user may access, and what the API can do',
      description:
        'What a front end of the whole project needs: fields, relations, permissions and numbers of records of each model.',
      answers: {
        200: responses.success('The site', jsonContent(ref('site')), ['ETag']),
        304: responses.success('The site is what `If-None-Match` names', undefined, ['ETag']),
      },
      failures: ['forbidden'],
      handler:
        ({ site }) =>
        async (request, h) => {
          const { text, digest } = await site.describe(actorOf(request))
          return taggedResponse(h, text, `"${digest}"`)
        },
    },
    {
      ...common,
      path: roots.search,
      operationId: 'searchAll',
      summary: 'Search all models',
      description: 'Those that the user may view, or those of `models`.',
      parameters: [
        { name: 'q', in: 'query', required: true, description: 'Words to search for', schema: { ...TEXT, minLength: 1 } },
        namesParameter('models', 'The models to search; all by default', models),
        COMPLETE,
        {
          name: 'limit',
          in: 'query',
          description: 'How many of the best hits to return',
          schema: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
        },
      ],
      answers: {
        200: responses.success(
          'The best hits',
          jsonContent(
            object({ data: { type: 'array', items: HIT }, total: COUNT_SCHEMA, missing: ref('missing') }, ['data', 'total']),
          ),
        ),
      },
      failures: ['forbidden', 'notFound'],
      handler: (app) => async (request, h) => {
        const { body, missing } = await app.searches.everywhere(actorOf(request), queryOf(request), readOptionsOf(request, app))
        return jsonResponse(h, body, { missing })
      },
    },
    {
      ...common,
      path: roots.events,
      operationId: 'getEvents',
      summary: 'Changes of records as they happen (Server-Sent Events)',
      description:
        'Events: `ready`, `change` with `{model, record_id, action, at}`, `reset` when changes may have been missed, `expired` when the token ends.',
      parameters: [namesParameter('models', 'The models to be told of; all by default', models), RESUME],
      answers: { 200: responses.success('A stream of events', { 'text/event-stream': { schema: TEXT } }) },
      failures: ['forbidden', 'notFound', 'limited'],
      isStream: true,
      handler: streamEvents,
    },
    {
      ...common,
      access: 'superuser',
      path: roots.lint,
      operationId: 'getFindings',
      summary: "Findings in the project's files, for superusers",
      description: 'Faults and advice with the file, line and column of each.',
      answers: { 200: responses.success('As `admin lint --format json`', jsonContent(reportSchema())) },
      handler:
        ({ lint }) =>
        async (_request, h) =>
          jsonResponse(h, await lint()),
    },
  ]
}

/** Server-Sent Events of changes (WHATWG HTML, section 9.2). */
const streamEvents =
  ({ events }: App): Lifecycle.Method =>
  async (request, h) => {
    const parameters = parametersOf(request)
    const models = parameters.names('models')
    parameters.throwIfFaulty()
    const { authorization, 'last-event-id': lastEventId } = request.headers as Readonly<Record<string, string | undefined>>
    const readable = new Readable({ read() {} })
    const isHead = request.method === 'head'
    const close = await events.open({ token: tokenIn(authorization), models, lastEventId }, () =>
      sinkOf(readable, request.raw.res),
    )
    readable.once('close', close)
    request.raw.res.once('close', close)
    // HEAD has no body, so the stream would never be read.
    if (isHead) close()
    return (
      h
        .response(isHead ? '' : readable)
        .type('text/event-stream')
        .header('X-Accel-Buffering', 'no')
        // After the stream the server closes the connection itself, and does not wait for the client.
        .header('Connection', 'close')
    )
  }

/** Writes to a stream in memory, from which the connection reads. */
const sinkOf = (readable: Readable, response: ServerResponse): EventSink => ({
  write: (text) => void readable.push(text),
  get backlog() {
    return readable.readableLength + response.writableLength
  },
  end: () => void readable.push(null),
  destroy() {
    readable.destroy()
    // hapi ends the response of a destroyed stream, which waits for a client that does not read.
    response.destroy()
  },
})
