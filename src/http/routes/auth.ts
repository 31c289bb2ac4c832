import type { Request, ResponseObject, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { RefreshOptions, TokenGrant } from '../../accounts/logins.ts'
import { tokenHolder } from '../../accounts/users.ts'
import type { App } from '../../app.ts'
import { unauthenticated } from '../../auth/login-failure.ts'
import { forbidden, SHELL } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { Parameters, readRecordId } from '../../query/parameters.ts'
import { isObject } from '../../util/json.ts'
import { readTexts } from '../../validate/issues.ts'
import type { LoginLog } from '../authentication.ts'
import { jsonResponse } from '../json.ts'
import { apiRoots } from '../paths.ts'
import type { RateLimits } from '../rate-limits.ts'
import { RefreshCookie } from '../refresh-cookie.ts'
import { actorOf, clientOf, queryOf } from '../request.ts'

/**
 * Login, refresh, logout and the present user: the OAuth 2 password grant and refresh (RFC 6749), as JSON or as a form. For pages
 * of this server that ask for it, the refresh token is in a cookie instead of the bodies.
 */
export function authRoutes({ settings, logins, reads, store, project }: App, limits: RateLimits, told: LoginLog): ServerRoute[] {
  const { auth } = apiRoots(settings)
  const open = {
    auth: false as const,
    payload: { allow: ['application/json', 'application/x-www-form-urlencoded'] },
  }
  const counted = { ...open, ext: { onPreAuth: { method: limits.countLogin } } }

  const cookie = new RefreshCookie(settings)
  const clientFor = (request: Request) => clientOf(request, settings.trusted_proxies)
  // A good refresh counts against the user's limit, so that reloads of a page do not use up the logins. A failed one counts as a login.
  const admitterOf = (request: Request) => (userId: number) => limits.countUser(request, userId, 'default')
  const countFailure = async (request: Request, error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') await limits.countAddress(request)
  }

  const token = async (request: Request, h: ResponseToolkit) => {
    checkGrantType(request.payload, 'password')
    const [username, password] = readTexts(request.payload, ['username', 'password'])
    const inCookie = cookie.isWanted(request)
    const options = { client: clientFor(request), inCookie }
    const grant = await told.login(request, username, () => logins.login(username, password, options))
    return granted(h, inCookie ? withCookie(request, grant) : grant)
  }
  const withCookie = (request: Request, { refresh_token: refreshToken, ...grant }: TokenGrant) => {
    cookie.set(request, refreshToken)
    return grant
  }

  const refresh = async (request: Request, h: ResponseToolkit) => {
    const options = { client: clientFor(request), admit: admitterOf(request) }
    if (cookie.isUsed(request)) return granted(h, await refreshCookie(request, options))
    try {
      checkGrantType(request.payload, 'refresh_token')
      const [refreshToken] = readTexts(request.payload, ['refresh_token'])
      return granted(h, await told.refresh(request, () => logins.refresh(refreshToken, options)))
    } catch (error) {
      await countFailure(request, error)
      throw error
    }
  }
  const refreshCookie = async (request: Request, options: RefreshOptions) => {
    const sent = cookie.read(request)
    if (sent === undefined) {
      // A page cannot know whether there is a cookie, so asking for it is no failed login.
      await limits.countAnonymous(request)
      throw unauthenticated()
    }
    try {
      checkGrantType(request.payload, 'refresh_token')
      const grant = await told.refresh(request, () => logins.refresh(sent, { ...options, inCookie: true }))
      return withCookie(request, grant)
    } catch (error) {
      await countFailure(request, error)
      if (isUnauthenticated(error)) cookie.clear(request)
      throw error
    }
  }

  const logout = async (request: Request) => {
    if (cookie.isUsed(request)) await logoutCookie(request)
    else {
      const [refreshToken] = readTexts(request.payload, ['refresh_token'])
      await logins.logout(refreshToken)
    }
    return { message: 'Logged out successfully' }
  }
  const logoutCookie = async (request: Request) => {
    try {
      const sent = cookie.read(request)
      if (sent === undefined) throw unauthenticated()
      await logins.logout(sent, { inCookie: true })
      cookie.clear(request)
    } catch (error) {
      if (isUnauthenticated(error)) cookie.clear(request)
      throw error
    }
  }
  const me = async (request: Request, h: ResponseToolkit) => {
    const actor = actorOf(request)
    const { text } = await reads.self(actor)
    return jsonResponse(h, `{"data":${text},"permissions":${JSON.stringify(logins.permissionsOf(actor))}}`)
  }

  const issue = async (request: Request, h: ResponseToolkit) => {
    // Users log in; this is for local commands, which hold the secret.
    if (actorOf(request) !== SHELL) throw forbidden(actorOf(request))
    const username = isObject(request.payload) ? request.payload.username : undefined
    const [name] = username === undefined ? [] : readTexts(request.payload, ['username'])
    const user = await tokenHolder(store, project.registry.expect('user'), name).catch((error: AppError) => {
      throw error.code === 'TASK_FAILED' ? new AppError('INVALID_REQUEST', error.message) : error
    })
    const expires = settings.jwt.access_token_minutes * 60
    return granted(h, { access_token: logins.issueAccessToken(user), token_type: 'bearer', expires_in: expires })
  }

  return [
    { method: 'POST', path: `${auth}/issue`, handler: issue, options: { auth: 'bearer', plugins: { limitsUsers: true } } },
    { method: 'POST', path: `${auth}/token`, handler: token, options: counted },
    { method: 'POST', path: `${auth}/refresh`, handler: refresh, options: open },
    { method: 'POST', path: `${auth}/logout`, handler: logout, options: counted },
    { method: 'GET', path: `${auth}/me`, handler: me, options: { auth: 'bearer', plugins: { limitsUsers: true } } },
  ]
}

/** Tokens must not be cached (RFC 6749, section 5.1). */
const granted = (h: ResponseToolkit, body: object): ResponseObject => h.response(body).header('Cache-Control', 'no-store')

const isUnauthenticated = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAUTHENTICATED'

/** OAuth 2 clients send `grant_type`; it is optional. */
function checkGrantType(body: unknown, expected: string): void {
  const given = isObject(body) ? body.grant_type : undefined
  if (given === undefined || given === expected) return
  throw new AppError('VALIDATION_FAILED', { grant_type: [`grant_type must be ${expected}`] })
}

/** The user's own account: its password and its sessions. Superusers also list and end the sessions of others. */
export function ownAccountRoutes({ settings, ownAccounts }: App, limits: RateLimits, told: LoginLog): ServerRoute[] {
  const { auth } = apiRoots(settings)
  const options = { auth: 'bearer', plugins: { limitsUsers: true } }
  const withQuery = { ...options, plugins: { ...options.plugins, readsQuery: true } }
  // Every attempt counts like a login. It is counted after authentication, so that requests without a token do not count.
  const asLogin = { auth: 'bearer', ext: { onPostAuth: { method: limits.countLogin } } }

  const changePassword = async (request: Request) => {
    await told.passwordChange(request, () => ownAccounts.changePassword(actorOf(request), request.payload))
    return { message: 'Password changed successfully' }
  }

  const list = (request: Request) => ownAccounts.sessions(actorOf(request), readUserId(request))

  const end = async (request: Request) => ({
    message: 'Session ended successfully',
    data: await ownAccounts.endSession(actorOf(request), readRecordId(String(request.params.id))),
  })

  const endAll = async (request: Request) => {
    const userId = readUserId(request)
    if (userId === undefined) throw new AppError('INVALID_REQUEST', { user_id: ["'user_id' is mandatory"] })
    const total = await ownAccounts.endSessions(actorOf(request), userId)
    return { message: `${total} ${total === 1 ? 'session' : 'sessions'} ended successfully`, total }
  }

  return [
    { method: 'POST', path: `${auth}/password`, handler: changePassword, options: asLogin },
    { method: 'GET', path: `${auth}/sessions`, handler: list, options: withQuery },
    { method: 'DELETE', path: `${auth}/sessions`, handler: endAll, options: withQuery },
    { method: 'DELETE', path: `${auth}/sessions/{id}`, handler: end, options },
  ]
}

/** @throws {AppError} INVALID_REQUEST */
function readUserId(request: Request): number | undefined {
  const parameters = new Parameters(new URLSearchParams(queryOf(request)), ['user_id'])
  const id = parameters.integer('user_id', { absent: 0, min: 1 })
  parameters.throwIfFaulty()
  return parameters.has('user_id') ? id : undefined
}
