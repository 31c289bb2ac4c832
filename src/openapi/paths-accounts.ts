import type { Registry } from '../model/registry.ts'
import { body, COOKIE_OPTIONAL, jsonContent, OPEN, type ParameterObject, type Paths } from './operation.ts'
import { schemaNames } from './record-schemas.ts'
import { type FailureName, READ, type Responses, type Roots, WRITE } from './responses.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT } from './schema.ts'

const AUTH_TAGS = ['auth']
const TO_COOKIE: Schema = {
  type: 'string',
  const: 'cookie',
  description: 'Puts the refresh token into a cookie, and not into the body; only for pages of this server',
}
const BY_COOKIE =
  'Without `refresh_token` in a JSON body, the token is taken from the cookie, if a page of this server sends the request: with ' +
  '`Sec-Fetch-Site: same-origin` or, without that header, with the `Origin` of this server.'
const BODY: readonly FailureName[] = ['badWrite', 'unauthenticated']

/** Operations for login, refresh, logout and the present user. */
export function authPaths({ auth }: Roots, registry: Registry, responses: Responses): Paths {
  const grant = object(
    {
      access_token: TEXT,
      refresh_token: { ...TEXT, description: 'Absent if it is in the cookie' },
      token_type: { type: 'string', const: 'bearer' },
      expires_in: { type: 'integer', description: 'How long the access token is good for, in seconds' },
    },
    ['access_token', 'token_type', 'expires_in'],
  )
  const granted = (description: string) => responses.success(description, jsonContent(grant), ['Set-Cookie'])
  const failures = responses.failures('auth', ...BODY)
  const grantType = (value: string): Schema => ({ type: 'string', const: value })
  const credentials = { username: TEXT, password: TEXT, grant_type: grantType('password') }
  const login = object(credentials, ['username', 'password'])
  const pageLogin = object({ ...credentials, refresh: TO_COOKIE }, ['username', 'password'])
  const token = { refresh_token: TEXT }
  const renewal = object({ ...token, grant_type: grantType('refresh_token') }, ['refresh_token'])
  const pageRenewal = object({ ...token, grant_type: grantType('refresh_token') }, [])
  const user = ref(schemaNames(registry.expect('user')).record)
  const me = object({ data: user, permissions: { type: 'array', items: TEXT } })
  const issued = object({ access_token: TEXT, token_type: { type: 'string', const: 'bearer' }, expires_in: COUNT_SCHEMA })
  return {
    [`${auth}/issue`]: {
      post: {
        operationId: 'issueToken',
        summary: 'An access token of an account without a login; only for commands that hold the secret of the server',
        description: 'Without `username` the token is of the first superuser. It belongs to no session.',
        tags: AUTH_TAGS,
        requestBody: { required: false, content: jsonContent(object({ username: TEXT }, [])) },
        responses: {
          200: responses.success('A token of the named account, or of the first superuser', jsonContent(issued)),
          ...responses.failures('default', ...BODY, 'forbidden'),
        },
      },
    },
    [`${auth}/token`]: {
      post: {
        operationId: 'login',
        summary: 'Log in: the OAuth 2 password grant',
        description: 'Begins a session. Wrong passwords in a row delay further logins of the account, and lock it in the end.',
        tags: AUTH_TAGS,
        security: OPEN,
        requestBody: body(jsonOrForm(pageLogin, login)),
        // 429 is also sent when too many logins are waiting.
        responses: { 200: granted('A new session'), ...failures, ...responses.failures('auth', 'rateLimited') },
      },
    },
    [`${auth}/refresh`]: {
      post: {
        operationId: 'refreshTokens',
        summary: 'Change a refresh token for a new pair of tokens',
        description: BY_COOKIE,
        tags: AUTH_TAGS,
        security: COOKIE_OPTIONAL,
        requestBody: body(jsonOrForm(pageRenewal, renewal)),
        // 429 is also sent when the user has sent too many requests.
        responses: {
          200: granted('New tokens; the one that was sent is good for nothing any more'),
          ...failures,
          ...responses.failures('auth', 'rateLimited'),
        },
      },
    },
    [`${auth}/logout`]: {
      post: {
        operationId: 'logout',
        summary: 'End a session, access tokens and all',
        description: BY_COOKIE,
        tags: AUTH_TAGS,
        security: COOKIE_OPTIONAL,
        requestBody: body(jsonOrForm(object(token, []), object(token))),
        responses: {
          200: responses.success('The session is over', jsonContent(object({ message: TEXT })), ['Set-Cookie']),
          ...failures,
        },
      },
    },
    [`${auth}/me`]: {
      get: {
        operationId: 'getOwnUser',
        summary: 'Who the token speaks for',
        description: 'Permissions are `view_`, `add_`, `change_` and `delete_<model>`; superusers have all of them.',
        tags: AUTH_TAGS,
        responses: {
          200: responses.success('The user and their permissions', jsonContent(me)),
          ...responses.failures('auth', 'badRequest', 'unauthenticated'),
        },
      },
    },
  }
}

const jsonOrForm = (schema: Schema, form: Schema) => ({
  ...jsonContent(schema),
  'application/x-www-form-urlencoded': { schema: form },
})

const ID: Schema = { type: 'integer', minimum: 1 }
const TAGS = ['auth']

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
    responses.success(description, jsonContent(object(members)))
  const ofUser = (required: boolean): ParameterObject => ({
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
        requestBody: body(jsonContent(strictObject({ current_password: TEXT, new_password: TEXT }))),
        responses: {
          200: responses.success('The password is changed', jsonContent(object({ message: TEXT }))),
          ...responses.failures('auth', ...WRITE, 'rateLimited', 'conflict'),
        },
      },
    },
    [`${auth}/sessions`]: {
      get: {
        operationId: 'listSessions',
        summary: 'List the own sessions, or those of another user',
        description: 'A session begins with a login and ends with a logout, another password or a disabled account.',
        tags: TAGS,
        parameters: [ofUser(false)],
        responses: {
          200: success('The newest 1,000, newest first, and their total', {
            data: { type: 'array', items: session },
            total: COUNT_SCHEMA,
          }),
          ...responses.failures('default', ...READ, 'notFound'),
        },
      },
      delete: {
        operationId: 'endSessions',
        summary: 'End all sessions of a user; for superusers',
        description: 'Their access and refresh tokens are refused from then on.',
        tags: TAGS,
        parameters: [ofUser(true)],
        responses: {
          200: success('How many sessions were ended', { message: TEXT, total: COUNT_SCHEMA }),
          ...responses.failures('default', ...READ, 'notFound'),
        },
      },
    },
    [`${auth}/sessions/{id}`]: {
      delete: {
        operationId: 'endSession',
        summary: 'End one of the own sessions, access tokens and all',
        description: 'A session of another user is a 404.',
        tags: TAGS,
        parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
        responses: {
          200: success('The ended session', { message: TEXT, data: session }),
          ...responses.failures('default', ...READ, 'notFound'),
        },
      },
    },
  }
}
