import type { Request, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { AppError } from '../../errors.ts'
import { Parameters } from '../../query/parameters.ts'
import { readRecordId } from '../../service/records/write-requests.ts'
import { apiRoots } from '../paths.ts'
import type { LoginLog } from '../plugins/login-log.ts'
import type { RateLimits } from '../requests/rate-limits.ts'
import { actorOf, queryOf } from '../requests/request.ts'

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
