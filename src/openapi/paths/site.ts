import { REPORT_SCHEMA } from '../../lint/formats/json.ts'
import type { Registry } from '../../model/registry.ts'
import { COUNT, nullable, object, oneName, ref, type Schema, TEXT } from '../schemas/schema.ts'
import { READ, type Roots } from './access.ts'
import { json, type Parameter, type Paths } from './operation.ts'
import { namesParameter } from './query-parameters.ts'
import type { Responses } from './responses.ts'

const FLAG: Schema = { type: 'boolean' }
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
  count: { ...COUNT, description: 'Number of records that the user may view; absent without that permission' },
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
      page_size: COUNT,
      bulk_size: COUNT,
      upload_bytes: COUNT,
      record_bytes: COUNT,
      requests_per_minute: nullable(COUNT),
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
  const span: Schema = { type: 'array', items: COUNT, minItems: 2, maxItems: 2, description: 'Start and length' }
  const hit = object({
    ...{ model: TEXT, id: { type: 'integer', minimum: 1 }, label: TEXT, score: { type: 'number' } },
    matches: { type: 'object', additionalProperties: { type: 'array', items: span }, description: 'Where in each field' },
  } as const)
  const resume: Parameter = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that the client has; the stream goes on after it',
    schema: TEXT,
  }
  return {
    [site]: {
      get: {
        ...{ operationId: 'getSite', summary: 'The models that the user may access, and what the API can do', tags },
        responses: {
          200: responses.success('The site', json(ref('site')), 'default', ['ETag']),
          304: responses.success('The site is what `If-None-Match` names', undefined, 'default', ['ETag']),
          ...failures,
        },
      },
    },
    [search]: {
      get: {
        ...{ operationId: 'searchAll', summary: 'Search all models', tags },
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
          200: responses.success('The best hits', json(object({ data: { type: 'array', items: hit }, total: COUNT })), 'default'),
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
          200: responses.success('A stream of events', { 'text/event-stream': { schema: TEXT } }, 'default'),
          ...failures,
          ...notFound,
          ...responses.failures('default', 'rateLimited'),
        },
      },
    },
    [lint]: {
      get: {
        ...{ operationId: 'getFindings', summary: "Findings in the project's files, for superusers", tags },
        responses: { 200: responses.success('As `admin lint --format json`', json(reportSchema()), 'default'), ...failures },
      },
    },
  }
}

/** The schema of the report without its dialect, which the document states. */
function reportSchema(): Schema {
  const { $schema: _, title: __, ...schema } = REPORT_SCHEMA
  return schema as unknown as Schema
}
