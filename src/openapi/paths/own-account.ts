import { COUNT, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT } from '../schemas/schema.ts'
import type { Roots } from './access.ts'
import { body, json, type Parameter, type Paths } from './operation.ts'
import type { Failure, Responses } from './responses.ts'

const ID: Schema = { type: 'integer', minimum: 1 }
const TAGS = ['auth']

const READ: readonly Failure[] = ['badRequest', 'unauthenticated', 'forbidden', 'notFound', 'notJson']
const WRITE: readonly Failure[] = ['badWrite', 'unauthenticated', 'forbidden', 'tooLarge', 'notJson']

/** Schema of a session. Lower case, so that no model's schema has the same name. */
export const ACCOUNT_SCHEMAS: Readonly<Record<string, Schema>> = {
  session: {
    ...object({
      id: ID,
      created_at: MOMENT,
      last_used_at: { ...nullable(MOMENT), description: 'Time of the last login or refresh' },
      address: { ...nullable(TEXT), description: 'Address of the client at that time; the /56 network of an IPv6 address' },
      user_agent: { ...nullable({ ...TEXT, maxLength: 200 }), description: 'Its `User-Agent`, the first 200 characters' },
      current: { type: 'boolean', description: 'Whether the token of the request belongs to it' },
    }),
    description: 'A login that has not ended; null is what an earlier version did not store',
  },
}

/** Operations on the user's own account: its password and its sessions. */
export function ownAccountPaths({ auth }: Roots, responses: Responses): Paths {
  const session = ref('session')
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, json(object(members)), 'default')
  const ofUser = (required: boolean): Parameter => ({
    name: 'user_id',
    in: 'query',
    description: 'Another user; for superusers',
    required,
    schema: ID,
  })
  return {
    [`${auth}/password`]: {
      post: {
        operationId: 'changeOwnPassword',
        summary: 'Change the password of the own account, which ends its other sessions',
        description: 'Counts as a login. A wrong `current_password` counts as a failed one.',
        tags: TAGS,
        requestBody: body(json(strictObject({ current_password: TEXT, new_password: TEXT }))),
        responses: {
          200: responses.success('The password is changed', json(object({ message: TEXT })), 'auth'),
          ...responses.failures('auth', ...WRITE, 'rateLimited', 'conflict'),
        },
      },
    },
    [`${auth}/sessions`]: {
      get: {
        operationId: 'listSessions',
        summary: 'List the own sessions, or those of another user',
        tags: TAGS,
        parameters: [ofUser(false)],
        responses: {
          200: success('The newest 1,000, newest first, and their total', {
            data: { type: 'array', items: session },
            total: COUNT,
          }),
          ...responses.failures('default', ...READ),
        },
      },
      delete: {
        operationId: 'endSessions',
        summary: 'End all sessions of a user; for superusers',
        tags: TAGS,
        parameters: [ofUser(true)],
        responses: {
          200: success('How many sessions were ended', { message: TEXT, total: COUNT }),
          ...responses.failures('default', ...READ, 'tooLarge'),
        },
      },
    },
    [`${auth}/sessions/{id}`]: {
      delete: {
        operationId: 'endSession',
        summary: 'End one of the own sessions, access tokens and all',
        tags: TAGS,
        parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
        responses: {
          200: success('The ended session', { message: TEXT, data: session }),
          ...responses.failures('default', ...READ, 'tooLarge'),
        },
      },
    },
  }
}
