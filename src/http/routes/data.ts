import type { ServerResponse } from 'node:http'
import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App, Replacement } from '../../app.ts'
import { AppError } from '../../errors.ts'
import { superusersOnly } from '../../service/model-access.ts'
import { readReset } from '../../service/project/snapshots.ts'
import { apiRoots } from '../paths.ts'
import { actorOf } from '../requests/request.ts'

/**
 * Puts another application in the place of the present one.
 *
 * @param asker the answer to whoever asked for it, which is not waited for
 * @returns the application that is served now
 * @throws {AppError} SERVER_NOT_READY while somebody else does the same; whatever keeps the other application from being opened
 */
export type Replace = (next: Replacement, asker: ServerResponse) => Promise<App>

const refused: Replace = async () => {
  throw new AppError('INVALID_REQUEST', 'The data can only be replaced beneath a server that listens')
}

/** The data as a whole, for superusers: copies of it, kept and put in its place, and a new beginning. */
export function dataRoutes(app: App, replace: Replace = refused): ServerRoute[] {
  const { snapshots, reset } = apiRoots(app.settings)
  const options = { auth: 'bearer', plugins: { limitsUsers: true } }

  const list = async (request: Request) => {
    const data = await app.snapshots.list(actorOf(request))
    return { data, total: data.length }
  }

  const save = async (request: Request, h: ResponseToolkit) =>
    h.response({ data: await app.snapshots.save(actorOf(request), request.payload) }).code(201)

  const load = async (request: Request) => {
    const actor = actorOf(request)
    superusersOnly(actor)
    const name = String(request.params.name)
    const next = await replace({ data: { kind: 'load', copy: name } }, request.raw.res)
    next.log.info('Snapshot loaded', { event: 'snapshot_loaded', name, by: actor.userId ?? 'system' })
    const data = (await next.snapshots.list(actor)).find((copy) => copy.name === name)
    return { message: 'Snapshot loaded successfully', data }
  }

  const begin = async (request: Request) => {
    const actor = actorOf(request)
    const { seeds } = readReset(actor, request.payload)
    const { seeded, log } = await replace({ data: { kind: 'reset', seeds } }, request.raw.res)
    log.info('Every record was removed', { event: 'data_reset', seeded, by: actor.userId ?? 'system' })
    return { message: 'Every record was removed', seeded }
  }

  return [
    { method: 'GET', path: snapshots, handler: list, options },
    { method: 'POST', path: snapshots, handler: save, options },
    { method: 'POST', path: `${snapshots}/{name}/load`, handler: load, options },
    { method: 'POST', path: reset, handler: begin, options },
  ]
}
