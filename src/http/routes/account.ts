import type { Request } from '@hapi/hapi'
import { AppError } from '../../errors.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, FLAG, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { actorOf, clientOf, parametersOf } from '../request.ts'
import { MAX_ACCOUNT_BYTES } from './auth.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

/** Schema of a session. Lower case, so that no model's schema has the same name. */
export const ACCOUNT_SCHEMAS: Readonly<Record<string, Schema>> = {
  session: {
    ...object({
      id: ID,
      created_at: MOMENT,
      last_used_at: { ...nullable(MOMENT), description: 'Time of the last login or refresh' },
      address: { ...nullable(TEXT), description: 'Address of the client at that time; the /56 network of an IPv6 address' },
      user_agent: { ...nullable({ ...TEXT, maxLength: 200 }), description: 'Its `User-Agent`, the first 200 characters' },
      current: { ...FLAG, description: 'Whether the token of the request belongs to it' },
    }),
    description: 'A login that has not ended; null is what an earlier version did not store',
  },
}

/** The user's own account: its password and its sessions. Superusers also list and end the sessions of others. */
export function accountRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', access: 'token', maxBodyBytes: MAX_ACCOUNT_BYTES } as const
  const failures = ['forbidden', 'notFound'] as const
  const session = ref('session')
  const success = (description: string, members: Readonly<Record<string, Schema>>) => ({
    200: responses.success(description, jsonContent(object(members))),
  })
  const ofUser = (required: boolean): ParameterObject => ({
    name: 'user_id',
    in: 'query',
    description: 'Another user; for superusers',
    required,
    schema: ID,
  })
  return [
    {
      ...common,
      method: 'POST',
      path: `${auth}/password`,
      // Every attempt counts like a login.
      limit: 'login',
      enrolling: true,
      operationId: 'changeOwnPassword',
      summary: 'Change the password of the own account, which ends its other sessions',
      description: 'Counts as a login. A wrong `current_password` counts as a failed one.',
      requestBody: body(jsonContent(strictObject({ current_password: TEXT, new_password: TEXT }))),
      answers: success('The password is changed', { message: TEXT }),
      failures: ['forbidden', 'limited', 'conflict'],
      handler:
        ({ ownAccounts, settings }, { logins, random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          await logins.passwordChange(request, () => ownAccounts.changePassword(actorOf(request), request.payload, client))
          return { message: 'Password changed successfully' }
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/confirm`,
      // Every attempt counts like a login.
      limit: 'login',
      enrolling: true,
      operationId: 'confirmLogin',
      summary: 'Confirm the login of the session, by the password or a code of the second factor',
      description:
        'Changes of keys, second factors, e-mail addresses and identities need a login within the last 10 minutes, and are a 401 with the ' +
        'error `insufficient_user_authentication` otherwise (RFC 9470). Counts as a login; a wrong password or code counts as a failed one.',
      requestBody: body(jsonContent({ anyOf: [strictObject({ password: TEXT }), strictObject({ otp: TEXT })] })),
      answers: success('The login counts as recent again', { message: TEXT }),
      failures: ['forbidden', 'limited'],
      handler:
        ({ ownAccounts, settings }, { logins, random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          await logins.confirmation(request, () => ownAccounts.confirmLogin(actorOf(request), request.payload, client))
          return { message: 'Login confirmed successfully' }
        },
    },
    {
      ...common,
      enrolling: true,
      method: 'GET',
      path: `${auth}/sessions`,
      operationId: 'listSessions',
      summary: 'List the own sessions, or those of another user',
      description: 'A session begins with a login and ends with a logout, another password or a disabled account.',
      parameters: [ofUser(false)],
      answers: success('The newest 1,000, newest first, and their total', {
        data: { type: 'array', items: session },
        total: COUNT_SCHEMA,
      }),
      failures,
      handler:
        ({ ownAccounts }) =>
        (request) =>
          ownAccounts.sessions(actorOf(request), readUserId(request)),
    },
    {
      ...common,
      method: 'DELETE',
      path: `${auth}/sessions`,
      operationId: 'endSessions',
      summary: 'End all sessions of a user; for superusers',
      description: 'Their access and refresh tokens are refused from then on.',
      parameters: [ofUser(true)],
      answers: success('How many sessions were ended', { message: TEXT, total: COUNT_SCHEMA }),
      failures,
      handler:
        ({ ownAccounts, settings }, { random }) =>
        async (request) => {
          const userId = readUserId(request)
          if (userId === undefined) throw new AppError('INVALID_REQUEST', { user_id: ["'user_id' is mandatory"] })
          const total = await ownAccounts.endSessions(
            actorOf(request),
            userId,
            clientOf(request, settings.trusted_proxies, random),
          )
          return { message: `${total} ${total === 1 ? 'session' : 'sessions'} ended successfully`, total }
        },
    },
    {
      ...common,
      enrolling: true,
      method: 'DELETE',
      path: `${auth}/sessions/{id}`,
      operationId: 'endSession',
      summary: 'End one of the own sessions, access tokens and all',
      description: 'A session of another user is a 404.',
      parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
      answers: success('The ended session', { message: TEXT, data: session }),
      failures,
      handler:
        ({ ownAccounts, settings }, { random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          const data = await ownAccounts.endSession(actorOf(request), readRecordId(String(request.params.id)), client)
          return { message: 'Session ended successfully', data }
        },
    },
  ]
}

/** @throws {AppError} INVALID_REQUEST */
export function readUserId(request: Request): number | undefined {
  const parameters = parametersOf(request)
  const id = parameters.integer('user_id', { absent: 0, min: 1 })
  parameters.throwIfFaulty()
  return parameters.has('user_id') ? id : undefined
}
