import type { Settings } from '../config/settings.ts'
import { REPORT_SCHEMA } from '../lint/format.ts'
import type { Registry } from '../model/registry.ts'
import { body, jsonContent, OPEN, type ParameterObject, type Paths, type ResponseObject, TOKEN_OPTIONAL } from './operation.ts'
import { namesParameter } from './query-parameters.ts'
import { access, READ, type Responses, type Roots, refusals, WRITE } from './responses.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

const status = (...words: readonly string[]): Schema => strictObject({ status: oneName(words) })

/** Operations for monitoring, and the OpenAPI document itself. */
export function operationsPaths({ document }: Roots, settings: Settings, responses: Responses): Paths {
  const options = { tags: ['operations'], security: OPEN }
  const failures = responses.failures('none', 'badRequest')
  const success = (description: string, content: ResponseObject['content']) => responses.success(description, content)
  const metrics: Paths = {
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus',
        description:
          'Numbers of records, requests and rejections, and durations, in the text format. For superusers and this machine, unless the setting `metrics` opens it.',
        ...options,
        security: TOKEN_OPTIONAL,
        responses: {
          200: success('The figures', { 'text/plain': { schema: TEXT } }),
          ...failures,
          ...(settings.metrics === 'open' ? {} : responses.failures('none', 'unauthenticated', 'forbidden')),
        },
      },
    },
  }
  return {
    '/healthz': {
      get: {
        operationId: 'getHealth',
        summary: 'Whether the process answers',
        description: 'Reads nothing, needs no token, and counts towards no limit.',
        ...options,
        responses: { 200: success('It does', jsonContent(status('ok'))), ...failures },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Whether requests should be sent here',
        description: 'Asks the storage, needs no token, and counts towards no limit.',
        ...options,
        responses: {
          200: success('They should', jsonContent(status('ready'))),
          ...failures,
          503: success('They should not', jsonContent({ anyOf: [status('readonly', 'stopping'), ref('error')] })),
        },
      },
    },
    ...(settings.metrics === 'off' ? {} : metrics),
    [document]: {
      get: {
        operationId: 'getDescription',
        summary: 'This document',
        description: 'It follows from the models, forms and settings of the project.',
        tags: ['operations'],
        ...access(settings),
        responses: {
          200: success('The API in OpenAPI 3.1', jsonContent({ type: 'object', additionalProperties: true })),
          ...responses.failures('none', 'badRequest', ...refusals(settings)),
        },
      },
    },
  }
}

const FLAG: Schema = { type: 'boolean' }
const NAME: Schema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }
const ON_NAME: ParameterObject = { name: 'name', in: 'path', required: true, schema: NAME }

/** Schema of a snapshot. Lower case, so that no model's schema has the same name. */
export const DATA_SCHEMAS: Readonly<Record<string, Schema>> = {
  snapshot: object({ name: TEXT, bytes: COUNT_SCHEMA, saved_at: MOMENT }),
}

/** Operations on snapshots, and the reset. For superusers. */
export function dataPaths({ snapshots, reset }: Roots, responses: Responses): Paths {
  const tags = ['data']
  const one = ref('snapshot')
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, jsonContent(object(members)))
  return {
    [snapshots]: {
      get: {
        ...{
          operationId: 'listSnapshots',
          summary: 'List the copies of the data',
          description: 'For superusers, as all operations on copies.',
          tags,
        },
        responses: {
          200: success('All of them, by name', { data: { type: 'array', items: one }, total: COUNT_SCHEMA }),
          ...responses.failures('default', ...READ),
        },
      },
      post: {
        ...{
          operationId: 'saveSnapshot',
          summary: 'Keep a copy of the data as it is now',
          description: 'It replaces a copy of the same name with `force`, and is a 409 without.',
          tags,
        },
        requestBody: body(jsonContent(strictObject({ name: NAME, force: FLAG }, ['name']))),
        responses: {
          201: success('The copy', { data: one }),
          ...responses.failures('default', ...WRITE, 'conflict'),
        },
      },
    },
    [`${snapshots}/{name}`]: {
      delete: {
        ...{
          operationId: 'deleteSnapshot',
          summary: 'Remove a copy; the data stays as it is',
          description: 'The name may be used again.',
          tags,
        },
        parameters: [ON_NAME],
        responses: {
          200: success('The removed copy', { message: TEXT, data: one }),
          ...responses.failures('default', ...WRITE, 'notFound'),
        },
      },
    },
    [`${snapshots}/{name}/load`]: {
      post: {
        ...{
          operationId: 'loadSnapshot',
          summary: 'Put a copy in the place of the data, which is lost',
          description: 'Requests wait meanwhile. Streams of events end with `reset`.',
          tags,
        },
        parameters: [ON_NAME],
        responses: {
          200: success('The copy that is the data now', { message: TEXT, data: one }),
          ...responses.failures('default', ...WRITE, 'notFound'),
        },
      },
    },
    [reset]: {
      post: {
        operationId: 'resetData',
        summary: 'Remove every record, webhook and history entry; users, groups and permissions only with `accounts`',
        description:
          'For superusers. With `seed_data` the seed files are read afterwards. A dry run counts what would be removed.',
        tags,
        requestBody: {
          required: false,
          content: jsonContent(strictObject({ seed_data: FLAG, accounts: FLAG, dry_run: FLAG }, [])),
        },
        responses: {
          200: success('How many records were removed, by model, and how many seed records were created', {
            message: TEXT,
            removed: { type: 'object', additionalProperties: COUNT_SCHEMA },
            webhooks: COUNT_SCHEMA,
            history: COUNT_SCHEMA,
            seeded: COUNT_SCHEMA,
          }),
          ...responses.failures('default', ...WRITE),
        },
      },
    },
  }
}

const NAMES: Schema = { type: 'array', items: TEXT }
const CAPABILITIES = ['history', 'files', 'search', 'import', 'webhooks', 'snapshots', 'mock', 'lint', 'events', 'openapi']

const siteField = object({
  ...{
    name: TEXT,
    type: TEXT,
    label: TEXT,
    help_text: nullable(TEXT),
    required: FLAG,
    unique: FLAG,
    readonly: FLAG,
    sortable: FLAG,
    operators: NAMES,
  },
  choices: nullable({ type: 'array', items: object({ value: {}, label: TEXT, color: TEXT }, ['value']) }),
  bounds: { type: 'object', additionalProperties: true, description: 'Limits of values, such as `max_length` and `gte`' },
  relation: nullable(object({ name: TEXT, model: TEXT, on_delete: TEXT })),
})

const modelMembers = {
  ...{ key: TEXT, name: TEXT, label: TEXT, display_field: TEXT, group: nullable(TEXT), icon: nullable(TEXT) },
  can: { type: 'array', items: oneName(['view', 'add', 'change', 'delete']) },
  count: { ...COUNT_SCHEMA, description: 'Number of records that the user may view; absent without that permission' },
  searchable: FLAG,
  history: { ...FLAG, description: 'True if changes of its records are recorded' },
  fields: { type: 'array', items: siteField },
  referenced_by: { type: 'array', items: object({ model: TEXT, field: TEXT, on_delete: TEXT }) },
} as const satisfies Record<string, Schema>

/** Schemas of the site. Lower case, so that no model's schema has the same name. */
export const SITE_SCHEMAS: Readonly<Record<string, Schema>> = {
  site: object({
    ...{ title: TEXT, accent: nullable(TEXT), logo: nullable(TEXT), version: TEXT, api_root: TEXT },
    user: object({ id: nullable({ type: 'integer' }), username: nullable(TEXT), is_superuser: FLAG }),
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
        Object.keys(modelMembers).filter((name) => name !== 'count'),
      ),
    },
  }),
}

/** Operations that span all models: the site, the search over all models, live events, findings of lint. */
export function sitePaths({ site, search, events, lint }: Roots, registry: Registry, responses: Responses): Paths {
  const tags = ['site']
  const models = oneName(registry.public.map(({ key }) => key))
  const failures = responses.failures('default', ...READ)
  const notFound = responses.failures('default', 'notFound')
  const span: Schema = { type: 'array', items: COUNT_SCHEMA, minItems: 2, maxItems: 2, description: 'Start and length' }
  const hit = object({
    ...{ model: TEXT, id: { type: 'integer', minimum: 1 }, label: TEXT, score: { type: 'number' } },
    matches: { type: 'object', additionalProperties: { type: 'array', items: span }, description: 'Where in each field' },
  } as const)
  const resume: ParameterObject = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that the client has; the stream goes on after it',
    schema: TEXT,
  }
  return {
    [site]: {
      get: {
        ...{
          operationId: 'getSite',
          summary: 'The models that the user may access, and what the API can do',
          description:
            'What a front end of the whole project needs: fields, relations, permissions and numbers of records of each model.',
          tags,
        },
        responses: {
          200: responses.success('The site', jsonContent(ref('site')), ['ETag']),
          304: responses.success('The site is what `If-None-Match` names', undefined, ['ETag']),
          ...failures,
        },
      },
    },
    [search]: {
      get: {
        ...{
          operationId: 'searchAll',
          summary: 'Search all models',
          description: 'Those that the user may view, or those of `models`.',
          tags,
        },
        parameters: [
          { name: 'q', in: 'query', required: true, description: 'Words to search for', schema: { ...TEXT, minLength: 1 } },
          namesParameter('models', 'The models to search; all by default', models),
          {
            name: 'limit',
            in: 'query',
            description: 'How many of the best hits to return',
            schema: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
          },
        ],
        responses: {
          200: responses.success(
            'The best hits',
            jsonContent(object({ data: { type: 'array', items: hit }, total: COUNT_SCHEMA })),
          ),
          ...failures,
          ...notFound,
        },
      },
    },
    [events]: {
      get: {
        ...{ operationId: 'getEvents', summary: 'Changes of records as they happen (Server-Sent Events)', tags },
        description:
          'Events: `ready`, `change` with `{model, record_id, action, at}`, `reset` when changes may have been missed, `expired` when the token ends.',
        parameters: [namesParameter('models', 'The models to be told of; all by default', models), resume],
        responses: {
          200: responses.success('A stream of events', { 'text/event-stream': { schema: TEXT } }),
          ...failures,
          ...notFound,
          ...responses.failures('default', 'rateLimited'),
        },
      },
    },
    [lint]: {
      get: {
        ...{
          operationId: 'getFindings',
          summary: "Findings in the project's files, for superusers",
          description: 'Faults and advice with the file, line and column of each.',
          tags,
        },
        responses: {
          200: responses.success('As `admin lint --format json`', jsonContent(reportSchema())),
          ...failures,
        },
      },
    },
  }
}

/** The schema of the report without its dialect, which the document states. */
function reportSchema(): Schema {
  const { $schema: _, title: __, ...schema } = REPORT_SCHEMA
  return schema as unknown as Schema
}
