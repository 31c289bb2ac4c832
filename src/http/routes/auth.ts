import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi'
import type { RefreshOptions } from '../../accounts/logins.ts'
import { hasPassword, tokenHolder } from '../../accounts/users.ts'
import type { App } from '../../app.ts'
import { unauthenticated } from '../../auth/login-failure.ts'
import { forbidden, SHELL } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { body, COOKIE_OPTIONAL, jsonContent } from '../../openapi/operation.ts'
import { schemaNames } from '../../openapi/record-schemas.ts'
import { COUNT_SCHEMA, FLAG, object, ref, type Schema, TEXT, TEXTS } from '../../openapi/schema.ts'
import { isObject } from '../../util/json.ts'
import { readTexts } from '../../validate/issues.ts'
import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { LoginCookies } from '../login-cookies.ts'
import { actorOf, clientOf } from '../request.ts'

/** Maximum body size of requests about one's own account, in bytes. */
export const MAX_ACCOUNT_BYTES = 65_536

const BY_COOKIE =
  'Without `refresh_token` in a JSON body, the token is taken from the cookie, if a page of this server sends the request: with ' +
  '`Sec-Fetch-Site: same-origin` or, without that header, with the `Origin` of this server.'

const TO_COOKIE: Schema = {
  type: 'string',
  const: 'cookie',
  description: 'Puts the refresh token into a cookie, and not into the body; only for pages of this server',
}

/** A code of a second factor. */
const OTP: Schema = {
  ...TEXT,
  description: 'The code of an authenticator, or a recovery code, if the account has a second factor',
}

const BEARER: Schema = { type: 'string', const: 'bearer' }

const grantType = (value: string): Schema => ({ type: 'string', const: value })

/** A body in JSON or, from OAuth 2 clients, as a form. */
const jsonOrForm = (schema: Schema, form: Schema) =>
  body({ ...jsonContent(schema), 'application/x-www-form-urlencoded': { schema: form } })

/**
 * Login, refresh, logout and the present user: the OAuth 2 password grant and refresh (RFC 6749), as JSON or as a form. For pages
 * of this server that ask for it, the refresh token is in a cookie instead of the bodies.
 */
export function authRoutes({ registry, roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', maxBodyBytes: MAX_ACCOUNT_BYTES } as const
  const grant = object(
    {
      access_token: TEXT,
      refresh_token: { ...TEXT, description: 'Absent if it is in the cookie' },
      token_type: BEARER,
      expires_in: { type: 'integer', description: 'How long the access token is good for, in seconds' },
    },
    ['access_token', 'token_type', 'expires_in'],
  )
  const granted = (description: string) => ({ 200: responses.success(description, jsonContent(grant), ['Set-Cookie']) })
  const credentials = { username: TEXT, password: TEXT, otp: OTP, grant_type: grantType('password') }
  const token = { refresh_token: TEXT }
  const renewal = { ...token, grant_type: grantType('refresh_token') }
  const issued = object({ access_token: TEXT, token_type: BEARER, expires_in: COUNT_SCHEMA })
  const me = object({
    data: { anyOf: [ref(schemaNames(registry.expect('user')).record), object({ id: { type: 'integer' }, username: TEXT })] },
    permissions: TEXTS,
    second_factor: {
      ...object({ active: FLAG, enrol: FLAG }),
      description: 'Whether the user has a second factor, and whether one has to be set up before anything else',
    },
    email_verified: { ...FLAG, description: 'Whether the user has shown to receive mails at the present address' },
    has_password: { ...FLAG, description: 'False for a user who logs in by a provider, or by keys only' },
  })
  return [
    {
      ...common,
      method: 'POST',
      path: `${auth}/issue`,
      access: 'token',
      operationId: 'issueToken',
      summary: 'An access token of an account without a login; only for commands that hold the secret of the server',
      description: 'Without `username` the token is of the first superuser. It belongs to no session.',
      requestBody: { required: false, content: jsonContent(object({ username: TEXT }, [])) },
      answers: { 200: responses.success('A token of the named account, or of the first superuser', jsonContent(issued)) },
      failures: ['forbidden'],
      handler: issue,
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/token`,
      access: 'open',
      limit: 'login',
      operationId: 'login',
      summary: 'Log in: the OAuth 2 password grant',
      description:
        'Begins a session. Wrong passwords in a row delay further logins of the account, and lock it in the end. If the account has a second ' +
        'factor and `otp` is missing or wrong, the answer to the right password is 401 with `second_factor`.',
      requestBody: jsonOrForm(
        object({ ...credentials, refresh: TO_COOKIE }, ['username', 'password']),
        object(credentials, ['username', 'password']),
      ),
      answers: granted('A new session'),
      // 429 is also sent when too many logins are waiting.
      failures: ['unauthenticated', 'limited'],
      handler: login,
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/refresh`,
      access: 'open',
      // The handler counts: a refresh towards the limit of the user, a failed one as a login.
      limit: 'none',
      operationId: 'refreshTokens',
      summary: 'Change a refresh token for a new pair of tokens',
      description: BY_COOKIE,
      security: COOKIE_OPTIONAL,
      requestBody: jsonOrForm(object(renewal, []), object(renewal, ['refresh_token'])),
      answers: granted('New tokens; the refresh token of the request is no longer valid'),
      failures: ['unauthenticated', 'limited'],
      handler: refresh,
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/logout`,
      access: 'open',
      limit: 'login',
      operationId: 'logout',
      summary: 'End a session, access tokens and all',
      description: BY_COOKIE,
      security: COOKIE_OPTIONAL,
      requestBody: jsonOrForm(object(token, []), object(token)),
      answers: { 200: responses.success('The session is over', jsonContent(object({ message: TEXT })), ['Set-Cookie']) },
      failures: ['unauthenticated'],
      handler: logout,
    },
    {
      ...common,
      method: 'GET',
      path: `${auth}/me`,
      access: 'token',
      keys: 'scoped',
      enrolling: true,
      operationId: 'getOwnUser',
      summary: 'Who the token speaks for',
      description:
        'Permissions are `view_`, `add_`, `change_` and `delete_<model>`; superusers have all of them. An API key without `view_user` gets only `id` and ' +
        '`username` of its owner in `data`.',
      answers: { 200: responses.success('The user and their permissions', jsonContent(me)) },
      handler:
        ({ reads, logins, ownFactors, accountLinks }) =>
        async (request, h) => {
          const actor = actorOf(request)
          const { userId: id, user } = actor
          const [{ text }, secondFactor, verified] = await Promise.all([
            reads.self(actor),
            ownFactors.standing(actor),
            id !== undefined && accountLinks.verified.has({ ...user, id }),
          ])
          const permissions = JSON.stringify(logins.permissionsOf(actor))
          const isByPassword = user !== undefined && hasPassword(user)
          const others = `"second_factor":${JSON.stringify(secondFactor)},"email_verified":${verified},"has_password":${isByPassword}`
          return jsonResponse(h, `{"data":${text},"permissions":${permissions},${others}}`)
        },
    },
  ]
}

const issue =
  ({ settings, logins, store, project }: App): Lifecycle.Method =>
  async (request, h) => {
    // Users log in; this is for local commands, which hold the secret.
    if (actorOf(request) !== SHELL) throw forbidden(actorOf(request))
    const username = isObject(request.payload) ? request.payload.username : undefined
    const [name] = username === undefined ? [] : readTexts(request.payload, ['username'])
    const user = await tokenHolder(store, project.registry.expect('user'), name).catch((error: AppError) => {
      throw error.code === 'TASK_FAILED' ? new AppError('INVALID_REQUEST', error.message) : error
    })
    const expires = settings.jwt.access_token_minutes * 60
    return uncached(h, { access_token: logins.issueAccessToken(user), token_type: 'bearer', expires_in: expires })
  }

function login(app: App, { logins: told, random }: ServerParts): Lifecycle.Method {
  const { settings, logins } = app
  const cookies = new LoginCookies(app)
  return async (request, h) => {
    checkGrantType(request.payload, 'password')
    const [username, password] = readTexts(request.payload, ['username', 'password'])
    const inCookie = cookies.refresh.isWanted(request)
    const options = { client: clientOf(request, settings.trusted_proxies, random), inCookie, otp: readOtp(request.payload) }
    const grant = await told.login(request, username, () => logins.login(username, password, options))
    return uncached(h, inCookie ? cookies.set(request, grant) : grant)
  }
}

function refresh(app: App, { limits, logins: told, random }: ServerParts): Lifecycle.Method {
  const { settings, logins } = app
  const cookies = new LoginCookies(app)
  const countFailure = async (request: Request, error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') await limits.countAddress(request)
  }
  const refreshCookie = async (request: Request, options: RefreshOptions) => {
    const sent = cookies.refresh.read(request)
    if (sent === undefined) {
      // A page cannot know whether there is a cookie, so asking for it is no failed login.
      await limits.countAnonymous(request)
      throw unauthenticated()
    }
    try {
      checkGrantType(request.payload, 'refresh_token')
      const grant = await told.refresh(request, () => logins.refresh(sent, { ...options, inCookie: true }))
      return cookies.set(request, grant)
    } catch (error) {
      await countFailure(request, error)
      if (isUnauthenticated(error)) cookies.clear(request)
      throw error
    }
  }
  return async (request, h) => {
    // A good refresh counts against the user's limit, so that reloads of a page do not use up the logins. A failed one counts as a login.
    const admit = (userId: number) => limits.countUser(request, userId, 'default')
    const options = { client: clientOf(request, settings.trusted_proxies, random), admit }
    if (cookies.refresh.isUsed(request)) return uncached(h, await refreshCookie(request, options))
    try {
      checkGrantType(request.payload, 'refresh_token')
      const [refreshToken] = readTexts(request.payload, ['refresh_token'])
      return uncached(h, await told.refresh(request, () => logins.refresh(refreshToken, options)))
    } catch (error) {
      await countFailure(request, error)
      throw error
    }
  }
}

function logout(app: App, { random }: ServerParts): Lifecycle.Method {
  const { settings, logins } = app
  const cookies = new LoginCookies(app)
  const logoutCookie = async (request: Request) => {
    try {
      const sent = cookies.refresh.read(request)
      if (sent === undefined) throw unauthenticated()
      await logins.logout(sent, { client: clientOf(request, settings.trusted_proxies, random), inCookie: true })
      cookies.clear(request)
    } catch (error) {
      if (isUnauthenticated(error)) cookies.clear(request)
      throw error
    }
  }
  return async (request) => {
    if (cookies.refresh.isUsed(request)) await logoutCookie(request)
    else {
      const [refreshToken] = readTexts(request.payload, ['refresh_token'])
      await logins.logout(refreshToken, { client: clientOf(request, settings.trusted_proxies, random) })
    }
    return { message: 'Logged out successfully' }
  }
}

/** A code of the second factor; undefined without one. Forms send an empty field. @throws {AppError} VALIDATION_FAILED */
export function readOtp(body: unknown): string | undefined {
  const otp = isObject(body) ? body.otp : undefined
  if (otp === undefined || otp === null || otp === '') return undefined
  return readTexts(body, ['otp'])[0]
}

/** Tokens must not be cached (RFC 6749, section 5.1). */
export const uncached = (h: ResponseToolkit, grant: object): ResponseObject =>
  h.response(grant).header('Cache-Control', 'no-store')

const isUnauthenticated = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAUTHENTICATED'

/** OAuth 2 clients send `grant_type`; it is optional. */
function checkGrantType(body: unknown, expected: string): void {
  const given = isObject(body) ? body.grant_type : undefined
  if (given === undefined || given === expected) return
  throw new AppError('VALIDATION_FAILED', { grant_type: [`grant_type must be ${expected}`] })
}
