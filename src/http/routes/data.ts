import type { Lifecycle } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { refuseKeys, superusersOnly } from '../../auth/permissions.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, FLAG, MOMENT, object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { planReset } from '../../project/reset.ts'
import { readReset } from '../../project/snapshots.ts'
import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { actorOf } from '../request.ts'

const NAME: Schema = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }
const ON_NAME: ParameterObject = { name: 'name', in: 'path', required: true, schema: NAME }

/** Schema of a snapshot. Lower case, so that no model's schema has the same name. */
export const DATA_SCHEMAS: Readonly<Record<string, Schema>> = {
  snapshot: object({ name: TEXT, bytes: COUNT_SCHEMA, saved_at: MOMENT }),
}

/** Snapshots and resets of the data, for superusers. */
export function dataRoutes({ roots: { snapshots, reset }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'data', access: 'superuser' } as const
  const one = ref('snapshot')
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, jsonContent(object(members)))
  return [
    {
      ...common,
      method: 'GET',
      path: snapshots,
      operationId: 'listSnapshots',
      summary: 'List the copies of the data',
      description: 'For superusers, as all operations on copies.',
      answers: { 200: success('All of them, by name', { data: { type: 'array', items: one }, total: COUNT_SCHEMA }) },
      handler: (app) => async (request) => {
        const data = await app.snapshots.list(actorOf(request))
        return { data, total: data.length }
      },
    },
    {
      ...common,
      method: 'POST',
      path: snapshots,
      operationId: 'saveSnapshot',
      summary: 'Keep a copy of the data as it is now',
      description: 'It replaces a copy of the same name with `force`, and is a 409 without.',
      requestBody: body(jsonContent(strictObject({ name: NAME, force: FLAG }, ['name']))),
      answers: { 201: success('The copy', { data: one }) },
      failures: ['conflict'],
      handler: (app) => async (request, h) =>
        h.response({ data: await app.snapshots.save(actorOf(request), request.payload) }).code(201),
    },
    {
      ...common,
      method: 'DELETE',
      path: `${snapshots}/{name}`,
      operationId: 'deleteSnapshot',
      summary: 'Remove a copy; the data stays as it is',
      description: 'The name may be used again.',
      parameters: [ON_NAME],
      answers: { 200: success('The removed copy', { message: TEXT, data: one }) },
      failures: ['notFound'],
      handler: (app) => async (request) => ({
        message: 'Snapshot deleted successfully',
        data: await app.snapshots.remove(actorOf(request), String(request.params.name)),
      }),
    },
    {
      ...common,
      method: 'POST',
      path: `${snapshots}/{name}/load`,
      operationId: 'loadSnapshot',
      summary: 'Put a copy in the place of the data, which is lost',
      description:
        'Requests wait meanwhile. Streams of events end with `reset`. No API key does this, since a copy has accounts.',
      parameters: [ON_NAME],
      answers: { 200: success('The copy that is the data now', { message: TEXT, data: one }) },
      failures: ['notFound'],
      handler: loadSnapshot,
    },
    {
      ...common,
      method: 'POST',
      path: reset,
      operationId: 'resetData',
      summary: 'Remove every record, webhook and history entry; users, groups and permissions only with `accounts`',
      description:
        'For superusers. With `seed_data` the seed files are read afterwards. A dry run counts what would be removed. No API key removes accounts.',
      requestBody: {
        required: false,
        content: jsonContent(strictObject({ seed_data: FLAG, accounts: FLAG, dry_run: FLAG }, [])),
      },
      answers: {
        200: success('How many records were removed, by model, and how many seed records were created', {
          message: TEXT,
          removed: { type: 'object', additionalProperties: COUNT_SCHEMA },
          webhooks: COUNT_SCHEMA,
          history: COUNT_SCHEMA,
          seeded: COUNT_SCHEMA,
        }),
      },
      handler: resetData,
    },
  ]
}

const loadSnapshot =
  (_: App, { replace }: ServerParts): Lifecycle.Method =>
  async (request) => {
    const actor = actorOf(request)
    superusersOnly(actor)
    // A copy has passwords, factors and keys of its time.
    refuseKeys(actor, 'load a copy of the data, which has accounts')
    const name = String(request.params.name)
    const next = await replace({ data: { kind: 'load', copy: name } }, request.raw.res)
    next.log.info('Snapshot loaded', { event: 'snapshot_loaded', name, by: actor.userId ?? 'system' })
    const data = (await next.snapshots.list(actor)).find((copy) => copy.name === name)
    return { message: 'Snapshot loaded successfully', data }
  }

const resetData =
  (app: App, { replace }: ServerParts): Lifecycle.Method =>
  async (request) => {
    const actor = actorOf(request)
    const { dryRun, ...wanted } = readReset(actor, request.payload)
    const { keep, removed, webhooks, history } = await planReset(app.store, app.project.registry, wanted)
    // Seeds have passwords, and without accounts there are no factors.
    if (keep.size === 0) refuseKeys(actor, 'remove accounts or create those of the seed files')
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
