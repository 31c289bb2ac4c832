import { KEY_DAYS, MAX_KEY_NAME, MAX_SCOPES } from '../../accounts/api-keys.ts'
import { GENERAL_SCOPES } from '../../auth/permissions.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT, TEXTS } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { actorOf, clientOf } from '../request.ts'
import { readUserId } from './account.ts'
import { MAX_ACCOUNT_BYTES } from './auth.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

const KEY_MEMBERS = {
  id: ID,
  name: TEXT,
  owner: object({ id: ID, username: TEXT }),
  hint: { ...TEXT, description: 'Its beginning and its last four characters' },
  scopes: TEXTS,
  created_at: MOMENT,
  expires_at: { ...nullable(MOMENT), description: 'null for a key that does not expire' },
  last_used_at: { ...nullable(MOMENT), description: 'To the minute; null if it was not used' },
} as const satisfies Record<string, Schema>

/** Schemas of API keys. Lower case, so that no model's schema has the same name. */
export const KEY_SCHEMAS: Readonly<Record<string, Schema>> = {
  apiKey: { ...object(KEY_MEMBERS), description: 'An API key, without the key' },
}

/** API keys: the own ones, and those of others for superusers. No request with a key is admitted. */
export function keyRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', access: 'token', maxBodyBytes: MAX_ACCOUNT_BYTES } as const
  const path = `${auth}/keys`
  const key = ref('apiKey')
  return [
    {
      ...common,
      method: 'GET',
      path,
      operationId: 'listKeys',
      summary: 'List the own API keys, or those of another user',
      description: 'Newest first. The keys themselves are not stored.',
      parameters: [{ name: 'user_id', in: 'query', description: 'Another user; for superusers', schema: ID }],
      answers: {
        200: responses.success(
          'At most 1,000',
          jsonContent(object({ data: { type: 'array', items: key }, total: COUNT_SCHEMA })),
        ),
      },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ logins }) =>
        (request) =>
          logins.keys.list(actorOf(request), readUserId(request)),
    },
    {
      ...common,
      method: 'POST',
      path,
      operationId: 'createKey',
      summary: 'Create an API key',
      description: `A key has the rights of its scopes that its owner has at each request. It is sent as \`Authorization: Bearer adm_…\`. Scopes are permissions, \`read\` (to view), \`write\` (all other permissions) and \`*\`.`,
      requestBody: body(
        jsonContent(
          strictObject(
            {
              name: { ...TEXT, minLength: 1, maxLength: MAX_KEY_NAME },
              scopes: {
                type: 'array',
                items: TEXT,
                minItems: 1,
                maxItems: MAX_SCOPES,
                description: `${GENERAL_SCOPES.join(', ')} or codenames such as view_user`,
              },
              expires_in_days: nullable({
                type: 'integer',
                minimum: 1,
                maximum: KEY_DAYS.max,
                description: `${KEY_DAYS.usual} when it is absent; null for a key that does not expire`,
              }),
              user_id: { ...ID, description: 'Another owner; for superusers' },
            },
            ['name', 'scopes'],
          ),
        ),
      ),
      answers: {
        201: responses.success(
          'The key, which no other answer has',
          jsonContent(object({ message: TEXT, data: object({ ...KEY_MEMBERS, key: TEXT }) })),
        ),
      },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ logins, settings }, { random }) =>
        async (request, h) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          const data = await logins.keys.create(actorOf(request), request.payload, client)
          return h.response({ message: 'Key created successfully', data }).code(201).header('Cache-Control', 'no-store')
        },
    },
    {
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      operationId: 'revokeKey',
      summary: 'Revoke an API key',
      description:
        'It is refused from then on, and its streams of events end. A key of another user is a 404, but for superusers.',
      parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
      answers: { 200: responses.success('The revoked key', jsonContent(object({ message: TEXT, data: key }))) },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ logins, settings }, { random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          const data = await logins.keys.remove(actorOf(request), readRecordId(String(request.params.id)), client)
          return { message: 'Key revoked successfully', data }
        },
    },
  ]
}
