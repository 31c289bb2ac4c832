import type { ServerResponse } from 'node:http'
import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App, Replacement } from '../../app.ts'
import { superusersOnly } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { planReset } from '../../project/reset.ts'
import { readReset } from '../../project/snapshots.ts'
import { apiRoots } from '../paths.ts'
import { actorOf } from '../request.ts'

/**
 * Replaces the running application.
 *
 * @param asker the response of the request that asks for it, which is not waited for
 * @returns the new application
 * @throws {AppError} SERVER_NOT_READY during another replacement; the error that prevents opening the new application
 */
export type Replace = (next: Replacement, asker: ServerResponse) => Promise<App>

const refused: Replace = async () => {
  throw new AppError('INVALID_REQUEST', 'The data can only be replaced beneath a server that listens')
}

/** Snapshots and resets of the data, for superusers. */
export function dataRoutes(app: App, replace: Replace = refused): ServerRoute[] {
  const { snapshots, reset } = apiRoots(app.settings)
  const options = {
    auth: 'bearer',
    plugins: { limitsUsers: true, admits: (request: Request) => superusersOnly(actorOf(request)) },
  }

  const list = async (request: Request) => {
    const data = await app.snapshots.list(actorOf(request))
    return { data, total: data.length }
  }

  const save = async (request: Request, h: ResponseToolkit) =>
    h.response({ data: await app.snapshots.save(actorOf(request), request.payload) }).code(201)

  const remove = async (request: Request) => ({
    message: 'Snapshot deleted successfully',
    data: await app.snapshots.remove(actorOf(request), String(request.params.name)),
  })

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
    const { dryRun, ...wanted } = readReset(actor, request.payload)
    const { keep, removed, webhooks, history } = await planReset(app.store, app.project.registry, wanted)
    const data = { kind: 'reset', ...wanted } as const
    if (dryRun) {
      await app.rehearse({ data })
      return { message: 'Nothing was removed', removed, webhooks, history, seeded: 0 }
    }
    const { seeded, log } = await replace({ data }, request.raw.res)
    const message = keep.size > 0 ? 'Every record was removed except accounts' : 'Every record was removed'
    log.info(message, { event: 'data_reset', seeded, by: actor.userId ?? 'system' })
    return { message, removed, webhooks, history, seeded }
  }

  return [
    { method: 'GET', path: snapshots, handler: list, options },
    { method: 'POST', path: snapshots, handler: save, options },
    { method: 'DELETE', path: `${snapshots}/{name}`, handler: remove, options },
    { method: 'POST', path: `${snapshots}/{name}/load`, handler: load, options },
    { method: 'POST', path: reset, handler: begin, options },
  ]
}
