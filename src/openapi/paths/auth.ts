import type { Registry } from '../../model/registry.ts'
import { schemaNames } from '../schemas/records.ts'
import { COUNT, object, ref, type Schema, TEXT } from '../schemas/schema.ts'
import type { Roots } from './access.ts'
import { body, COOKIE_OPTIONAL, json, OPEN, type Paths } from './operation.ts'
import type { Failure, Responses } from './responses.ts'

const AUTH_TAGS = ['auth']
const TO_COOKIE: Schema = {
  type: 'string',
  const: 'cookie',
  description: 'Puts the refresh token into a cookie, and not into the body; only for pages of this server',
}
const BY_COOKIE =
  'Without `refresh_token` in a JSON body, the token is taken from the cookie, if a page of this server sends the request: with ' +
  '`Sec-Fetch-Site: same-origin` or, without that header, with the `Origin` of this server.'
const SIGNED_IN: readonly Failure[] = ['unauthenticated', 'notJson', 'unavailable', 'badRequest']
const BODY: readonly Failure[] = ['badWrite', 'unauthenticated', 'tooLarge', 'notJson', 'unavailable']

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
  const granted = (description: string) => responses.success(description, json(grant), 'auth', ['Set-Cookie'])
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
  const issued = object({ access_token: TEXT, token_type: { type: 'string', const: 'bearer' }, expires_in: COUNT })
  return {
    [`${auth}/issue`]: {
      post: {
        operationId: 'issueToken',
        summary: 'An access token of an account without a login; only for commands that hold the secret of the server',
        tags: AUTH_TAGS,
        requestBody: { required: false, content: json(object({ username: TEXT }, [])) },
        responses: {
          200: responses.success('A token of the named account, or of the first superuser', json(issued), 'default'),
          ...responses.failures('default', ...BODY, 'forbidden'),
        },
      },
    },
    [`${auth}/token`]: {
      post: {
        operationId: 'login',
        summary: 'Log in: the OAuth 2 password grant',
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
          200: responses.success('The session is over', json(object({ message: TEXT })), 'auth', ['Set-Cookie']),
          ...failures,
        },
      },
    },
    [`${auth}/me`]: {
      get: {
        operationId: 'getOwnUser',
        summary: 'Who the token speaks for',
        tags: AUTH_TAGS,
        responses: {
          200: responses.success('The user and their permissions', json(me), 'auth'),
          ...responses.failures('auth', ...SIGNED_IN),
        },
      },
    },
  }
}

const jsonOrForm = (schema: Schema, form: Schema) => ({ ...json(schema), 'application/x-www-form-urlencoded': { schema: form } })
