import type { Settings } from '../config/settings.ts'
import { body, jsonContent, OPEN, type ParameterObject, type Paths, type ResponseObject, TOKEN_OPTIONAL } from './operation.ts'
import { access, READ, type Responses, type Roots, refusals, WRITE } from './responses.ts'
import { COUNT_SCHEMA, MOMENT, object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

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
