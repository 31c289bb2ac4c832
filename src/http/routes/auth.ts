import type { Request, ResponseObject, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { SHELL } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { forbidden } from '../../service/access/refusals.ts'
import { tokenHolder } from '../../service/accounts/users.ts'
import { isObject } from '../../util/json.ts'
import { FieldIssues } from '../../validate/issues.ts'
import { apiRoots } from '../paths.ts'
import type { LoginLog } from '../plugins/login-log.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { actorOf } from '../requests/request.ts'
import { jsonResponse } from '../responses/json.ts'

/** Login, refresh, logout and the present user: the OAuth 2 password grant and refresh (RFC 6749), as JSON or as a form. */
export function authRoutes({ settings, logins, reads, store }: App, limits: RateLimits, told: LoginLog): ServerRoute[] {
  const { auth } = apiRoots(settings)
  const open = {
    auth: false as const,
    payload: { allow: ['application/json', 'application/x-www-form-urlencoded'] },
  }
  const counted = { ...open, ext: { onPreAuth: { method: limits.countLogin } } }

  const token = async (request: Request, h: ResponseToolkit) => {
    checkGrantType(request.payload, 'password')
    const [username, password] = readTexts(request.payload, ['username', 'password'])
    return secretly(h.response(await told.login(request, username, () => logins.login(username, password))))
  }
  const refresh = async (request: Request, h: ResponseToolkit) => {
    // A good refresh counts against the user's limit, so that reloads of a page do not use up the logins. A failed one counts as a login.
    const admit = (userId: number) => limits.countUser(request, { userId }, 'default')
    try {
      checkGrantType(request.payload, 'refresh_token')
      const [refreshToken] = readTexts(request.payload, ['refresh_token'])
      return secretly(h.response(await told.refresh(request, () => logins.refresh(refreshToken, admit))))
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') limits.countAddress(request)
      throw error
    }
  }
  const logout = async (request: Request) => {
    const [refreshToken] = readTexts(request.payload, ['refresh_token'])
    await logins.logout(refreshToken)
    return { message: 'Logged out successfully' }
  }
  const me = async (request: Request, h: ResponseToolkit) => {
    const actor = actorOf(request)
    const { text } = await reads.self(actor)
    return jsonResponse(h, `{"data":${text},"permissions":${JSON.stringify(logins.permissionsOf(actor))}}`)
  }

  const issue = async (request: Request, h: ResponseToolkit) => {
    // Users log in; this is for local commands, which hold the secret.
    if (actorOf(request) !== SHELL) throw forbidden()
    const username = isObject(request.payload) ? request.payload.username : undefined
    const [name] = username === undefined ? [] : readTexts(request.payload, ['username'])
    const user = await tokenHolder(store, name).catch((error: AppError) => {
      throw error.code === 'TASK_FAILED' ? new AppError('INVALID_REQUEST', error.message) : error
    })
    const expires = settings.jwt.access_token_minutes * 60
    return secretly(h.response({ access_token: logins.issueAccessToken(user), token_type: 'bearer', expires_in: expires }))
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
const secretly = (response: ResponseObject): ResponseObject => response.header('Cache-Control', 'no-store')

/** OAuth 2 clients send `grant_type`; it is optional. */
function checkGrantType(body: unknown, expected: string): void {
  const given = isObject(body) ? body.grant_type : undefined
  if (given === undefined || given === expected) return
  throw new AppError('VALIDATION_FAILED', { grant_type: [`grant_type must be ${expected}`] })
}

/** @throws {AppError} VALIDATION_FAILED for a member that is missing or not a string */
function readTexts<const N extends readonly string[]>(body: unknown, names: N): { [K in keyof N]: string } {
  const members = isObject(body) ? body : {}
  const issues = new FieldIssues()
  for (const name of names) {
    const value = members[name]
    if (value === undefined || value === null || value === '') issues.add(name, `${name} is mandatory`)
    else if (typeof value !== 'string') issues.add(name, `${name} must be a string`)
  }
  issues.throwIfAny()
  return names.map((name) => members[name]) as { [K in keyof N]: string }
}
