import { AppError } from '../../errors.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT, TEXTS } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { actorOf, clientOf } from '../request.ts'
import { readUserId } from './account.ts'
import { MAX_ACCOUNT_BYTES, uncached } from './auth.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

/** Schema of a second factor. Lower case, so that no model's schema has the same name. */
export const FACTOR_SCHEMAS: Readonly<Record<string, Schema>> = {
  secondFactor: {
    ...object({ id: ID, kind: { type: 'string', const: 'totp' }, created_at: MOMENT, last_used_at: nullable(MOMENT) }),
    description: 'An authenticator: an app or device that makes codes (RFC 6238)',
  },
}

const RECENT = 'Needs a login within the last 10 minutes; `POST /auth/confirm` confirms one.'

/** The second factors of the own account. Superusers list and reset those of others. */
export function factorRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', access: 'token', maxBodyBytes: MAX_ACCOUNT_BYTES, enrolling: true } as const
  const failures = ['forbidden', 'notFound'] as const
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, jsonContent(object(members)))
  const codes = { message: TEXT, recovery_codes: { ...TEXTS, description: 'Shown this once; each is good for one login' } }
  const factor = ref('secondFactor')
  const ofUser = (required: boolean): ParameterObject => ({
    ...{ name: 'user_id', in: 'query', description: 'Another user; for superusers', required, schema: ID },
  })
  return [
    {
      ...common,
      method: 'GET',
      path: `${auth}/factors`,
      operationId: 'listFactors',
      summary: 'List the second factors of the own account, or of another user',
      description: 'Secrets and recovery codes are shown when they are made, and not again.',
      parameters: [ofUser(false)],
      answers: {
        200: success('The authenticators, and how many recovery codes are left', {
          data: { type: 'array', items: factor },
          total: COUNT_SCHEMA,
          recovery_codes_left: COUNT_SCHEMA,
          two_factor: {
            type: 'string',
            enum: ['optional', 'required', 'superusers', 'off'],
            description: 'The setting `accounts.two_factor`',
          },
        }),
      },
      failures,
      handler:
        ({ ownFactors }) =>
        (request) =>
          ownFactors.list(actorOf(request), readUserId(request)),
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/factors/totp`,
      operationId: 'beginTotp',
      summary: 'Begin to set up an authenticator',
      description: `The authenticator reads \`uri\` as a QR code, or the user types \`secret\`. It counts once it is confirmed. ${RECENT}`,
      answers: {
        201: success('The secret, which is shown this once', {
          data: object({
            id: ID,
            secret: { ...TEXT, description: 'In base 32' },
            uri: { ...TEXT, description: '`otpauth://totp/…`' },
          }),
        }),
      },
      failures: ['forbidden', 'conflict'],
      handler:
        ({ ownFactors }) =>
        async (request, h) =>
          uncached(h, { data: await ownFactors.begin(actorOf(request)) }).code(201),
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/factors/totp/confirm`,
      limit: 'login',
      operationId: 'confirmTotp',
      summary: 'Confirm the new authenticator by its first code',
      description: `From then on logins ask for a code. All other sessions of the user end. ${RECENT}`,
      requestBody: body(jsonContent(strictObject({ otp: TEXT }))),
      answers: { 200: success('The authenticator counts', codes) },
      failures: ['forbidden', 'conflict', 'limited'],
      handler:
        ({ ownFactors, settings }, { random }) =>
        async (request, h) => {
          const recovery_codes = await ownFactors.confirm(
            actorOf(request),
            request.payload,
            clientOf(request, settings.trusted_proxies, random),
          )
          return uncached(h, { message: 'Second factor set up successfully', recovery_codes })
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/factors/recovery`,
      operationId: 'renewRecoveryCodes',
      summary: 'Make new recovery codes; the former ones work no longer',
      description: RECENT,
      answers: { 200: success('The new codes', codes) },
      failures: ['forbidden', 'conflict'],
      handler:
        ({ ownFactors, settings }, { random }) =>
        async (request, h) => {
          const recovery_codes = await ownFactors.renewCodes(
            actorOf(request),
            clientOf(request, settings.trusted_proxies, random),
          )
          return uncached(h, { message: 'Recovery codes created successfully', recovery_codes })
        },
    },
    {
      ...common,
      method: 'DELETE',
      path: `${auth}/factors`,
      operationId: 'resetFactors',
      summary: 'Remove all second factors of a user who has lost them; for superusers',
      description: `All sessions of the user end. ${RECENT}`,
      parameters: [ofUser(true)],
      answers: { 200: success('How many authenticators were removed', { message: TEXT, total: COUNT_SCHEMA }) },
      failures: [...failures, 'conflict'],
      handler:
        ({ ownFactors, settings }, { random }) =>
        async (request) => {
          const userId = readUserId(request)
          if (userId === undefined) throw new AppError('INVALID_REQUEST', { user_id: ["'user_id' is mandatory"] })
          const total = await ownFactors.reset(actorOf(request), userId, clientOf(request, settings.trusted_proxies, random))
          return { message: 'Second factors reset successfully', total }
        },
    },
    {
      ...common,
      method: 'DELETE',
      path: `${auth}/factors/{id}`,
      operationId: 'removeFactor',
      summary: 'Remove an authenticator of the own account; with the last one, the recovery codes',
      description: `All other sessions of the user end. ${RECENT}`,
      parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
      answers: { 200: success('The removed authenticator', { message: TEXT, data: factor }) },
      failures: [...failures, 'conflict'],
      handler:
        ({ ownFactors, settings }, { random }) =>
        async (request) => ({
          message: 'Second factor removed successfully',
          data: await ownFactors.remove(
            actorOf(request),
            readRecordId(String(request.params.id)),
            clientOf(request, settings.trusted_proxies, random),
          ),
        }),
    },
  ]
}
