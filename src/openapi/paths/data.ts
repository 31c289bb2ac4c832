import { COUNT, MOMENT, object, ref, type Schema, strictObject, TEXT } from '../schemas/schema.ts'
import type { Roots } from './access.ts'
import { body, json, type Parameter, type Paths } from './operation.ts'
import type { Failure, Responses } from './responses.ts'

const FLAG: Schema = { type: 'boolean' }
const NAME: Schema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }
const ON_NAME: Parameter = { name: 'name', in: 'path', required: true, schema: NAME }

const READ: readonly Failure[] = ['badRequest', 'unauthenticated', 'forbidden', 'notJson']
const WRITE: readonly Failure[] = ['badWrite', 'unauthenticated', 'forbidden', 'tooLarge', 'notJson']

/** Schema of a snapshot. Lower case, so that no model's schema has the same name. */
export const DATA_SCHEMAS: Readonly<Record<string, Schema>> = {
  snapshot: object({ name: TEXT, bytes: COUNT, saved_at: MOMENT }),
}

/** Operations on snapshots, and the reset. For superusers. */
export function dataPaths({ snapshots, reset }: Roots, responses: Responses): Paths {
  const tags = ['data']
  const one = ref('snapshot')
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, json(object(members)), 'default')
  return {
    [snapshots]: {
      get: {
        ...{ operationId: 'listSnapshots', summary: 'List the copies of the data', tags },
        responses: {
          200: success('All of them, by name', { data: { type: 'array', items: one }, total: COUNT }),
          ...responses.failures('default', ...READ),
        },
      },
      post: {
        ...{ operationId: 'saveSnapshot', summary: 'Keep a copy of the data as it is now', tags },
        requestBody: body(json(strictObject({ name: NAME, force: FLAG }, ['name']))),
        responses: {
          201: success('The copy', { data: one }),
          ...responses.failures('default', ...WRITE, 'conflict'),
        },
      },
    },
    [`${snapshots}/{name}`]: {
      delete: {
        ...{ operationId: 'deleteSnapshot', summary: 'Remove a copy; the data stays as it is', tags },
        parameters: [ON_NAME],
        responses: {
          200: success('The removed copy', { message: TEXT, data: one }),
          ...responses.failures('default', ...WRITE, 'notFound'),
        },
      },
    },
    [`${snapshots}/{name}/load`]: {
      post: {
        ...{ operationId: 'loadSnapshot', summary: 'Put a copy in the place of the data, which is lost', tags },
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
        tags,
        requestBody: { required: false, content: json(strictObject({ seed_data: FLAG, accounts: FLAG, dry_run: FLAG }, [])) },
        responses: {
          200: success('How many records were removed, by model, and how many seed records were created', {
            message: TEXT,
            removed: { type: 'object', additionalProperties: COUNT },
            webhooks: COUNT,
            history: COUNT,
            seeded: COUNT,
          }),
          ...responses.failures('default', ...WRITE),
        },
      },
    },
  }
}
