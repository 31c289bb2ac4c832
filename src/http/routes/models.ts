import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { superusersOnly } from '../../auth/permissions.ts'
import { arrayJson, type RecordJson } from '../../reads/record-json.ts'
import type { VisibleRemovals } from '../../records/consequences.ts'
import type { WriteAction } from '../../records/records.ts'
import type { Random } from '../../util/ids.ts'
import { jsonResponse } from '../json.ts'
import { apiRoots } from '../paths.ts'
import { ifMatch, recordResponse, writeOptionsOf } from '../preconditions.ts'
import type { RateLimits } from '../rate-limits.ts'
import { actorOf, queryOf, readOptionsOf } from '../request.ts'

/** The Models API: list, search, aggregate, and create, read, update, delete, for one record or many. */
export function modelRoutes(app: App, random: Random): ServerRoute[] {
  const { models } = apiRoots(app.settings)
  const { reads, records, searches, aggregates, history } = app
  const writeOptions = (request: Request) => writeOptionsOf(request, app, random)
  const options = { auth: 'bearer', plugins: { limitsUsers: true, admitsAnonymous: true } }
  const withQuery = { ...options, plugins: { ...options.plugins, readsQuery: true } }

  /** Bodies of users who may not write at all are not read. */
  const writing = (action: WriteAction) => ({
    ...withQuery,
    plugins: {
      ...withQuery.plugins,
      admits: (request: Request) => records.admit(actorOf(request), action, modelOf(request)),
    },
  })

  const list = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await reads.list(actorOf(request), modelOf(request), queryOf(request), readOptionsOf(request, app)))

  const search = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await searches.search(actorOf(request), modelOf(request), queryOf(request), readOptionsOf(request, app)))

  const aggregate = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await aggregates.aggregate(actorOf(request), modelOf(request), queryOf(request), readOptionsOf(request, app)))

  const create = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const options = writeOptions(request)
    const record = await records.create(actorOf(request), modelKey, request.payload, options)
    if (options.dryRun) return jsonResponse(h, `{"data":${(await reads.one(actorOf(request), modelKey, record)).text}}`)
    const json = await reads.writtenOne(actorOf(request), modelKey, record)
    return recordResponse(h, json, { status: 201, location: `${models}/${modelKey}/${record.id}` })
  }

  const read = async (request: Request, h: ResponseToolkit) =>
    recordResponse(
      h,
      await reads.get(actorOf(request), modelOf(request), recordIdOf(request), queryOf(request), readOptionsOf(request, app)),
    )

  const update = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const { dryRun, origin } = writeOptions(request)
    const options = { dryRun, origin, precondition: ifMatch(request) }
    const record = await records.update(actorOf(request), modelKey, recordIdOf(request), request.payload, options)
    const read = dryRun ? reads.one(actorOf(request), modelKey, record) : reads.writtenOne(actorOf(request), modelKey, record)
    return recordResponse(h, await read)
  }

  const remove = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const options = { ...writeOptions(request), precondition: ifMatch(request) }
    if (options.dryRun) {
      const forecast = await records.forecastRemoval(actorOf(request), modelKey, recordIdOf(request), options)
      const { text } = await only(reads.all(actorOf(request), modelKey, forecast.records))
      return jsonResponse(h, `{"data":${text},${membersOf(forecast)}}`)
    }
    const record = await records.remove(actorOf(request), modelKey, recordIdOf(request), options)
    const { text } = await reads.writtenOne(actorOf(request), modelKey, record)
    return jsonResponse(h, `{"message":"Record deleted successfully","data":${text}}`)
  }

  const bulkCreate = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const options = writeOptions(request)
    const created = await records.createMany(actorOf(request), modelKey, request.payload, options)
    if (options.dryRun) return jsonResponse(h, `{${members(await reads.all(actorOf(request), modelKey, created))}}`)
    return jsonResponse(h, `{${members(await reads.written(actorOf(request), modelKey, created))}}`, { status: 201 })
  }

  const bulkUpdate = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const options = writeOptions(request)
    const updated = await records.updateMany(actorOf(request), modelKey, request.payload, options)
    const read = options.dryRun
      ? reads.all(actorOf(request), modelKey, updated)
      : reads.written(actorOf(request), modelKey, updated)
    return jsonResponse(h, `{${members(await read)}}`)
  }

  const bulkRemove = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const options = writeOptions(request)
    if (options.dryRun) {
      const forecast = await records.forecastRemovalOfMany(actorOf(request), modelKey, request.payload)
      const written = await reads.all(actorOf(request), modelKey, forecast.records)
      return jsonResponse(h, `{${members(written)},${membersOf(forecast)}}`)
    }
    const removed = await records.removeMany(actorOf(request), modelKey, request.payload, options)
    const message = `${removed.length} records deleted successfully`
    return jsonResponse(h, `{"message":"${message}",${members(await reads.written(actorOf(request), modelKey, removed))}}`)
  }

  const historyOf = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await history.ofRecord(actorOf(request), modelOf(request), recordIdOf(request), queryOf(request)))

  return [
    { method: 'POST', path: `${models}/{model}`, handler: create, options: writing('add') },
    { method: 'GET', path: `${models}/{model}`, handler: list, options: withQuery },
    { method: 'GET', path: `${models}/{model}/search`, handler: search, options: withQuery },
    { method: 'GET', path: `${models}/{model}/aggregate`, handler: aggregate, options: withQuery },
    { method: 'GET', path: `${models}/{model}/{record_id}`, handler: read, options: withQuery },
    { method: ['PUT', 'PATCH'], path: `${models}/{model}/{record_id}`, handler: update, options: writing('change') },
    { method: 'GET', path: `${models}/{model}/{record_id}/history`, handler: historyOf, options: withQuery },
    { method: 'DELETE', path: `${models}/{model}/{record_id}`, handler: remove, options: writing('delete') },
    { method: 'POST', path: `${models}/{model}/bulk`, handler: bulkCreate, options: writing('add') },
    { method: ['PUT', 'PATCH'], path: `${models}/{model}/bulk`, handler: bulkUpdate, options: writing('change') },
    { method: 'DELETE', path: `${models}/{model}/bulk`, handler: bulkRemove, options: writing('delete') },
  ]
}

/** The result of a bulk operation, as members of a JSON object. */
const members = (records: readonly RecordJson[]): string => `"data":${arrayJson(records)},"total":${records.length}`

/** The consequences of a deletion, as members of a JSON object. */
const membersOf = ({ consequences, blockedBy }: VisibleRemovals): string =>
  `"consequences":${JSON.stringify(consequences)},"blocked_by":${JSON.stringify(blockedBy)}`

async function only(written: Promise<readonly RecordJson[]>): Promise<RecordJson> {
  const [json] = await written
  if (json === undefined) throw new Error('A record was not written')
  return json
}

const modelOf = (request: Request): string => String(request.params.model)

const recordIdOf = (request: Request): string => String(request.params.record_id)

/**
 * Mock data for users who may view a model, creation of mock records for superusers, and the public test endpoint of each
 * model.
 */
export function mockDataRoutes(app: App, limits: RateLimits): ServerRoute[] {
  const { models, mock: filling } = apiRoots(app.settings)
  const { mocks, mockFiller, modelTests } = app

  const mock = async (request: Request, h: ResponseToolkit) =>
    jsonResponse(h, await mocks.list(actorOf(request), String(request.params.model), queryOf(request)))

  const test = (request: Request) => modelTests.describe(String(request.params.model), models, queryOf(request))

  const fill = async (request: Request, h: ResponseToolkit) =>
    h.response({ data: await mockFiller.request(actorOf(request), request.payload) }).code(201)

  const limited = { auth: 'bearer', plugins: { limitsUsers: true, readsQuery: true } }
  const creating = {
    auth: 'bearer',
    plugins: { limitsUsers: true, admits: (request: Request) => superusersOnly(actorOf(request)) },
  }
  const open = {
    auth: false as const,
    plugins: { readsQuery: true },
    ext: { onPreAuth: { method: limits.countUnauthenticated } },
  }
  return [
    { method: 'GET', path: `${models}/{model}/mock`, handler: mock, options: limited },
    { method: 'POST', path: filling, handler: fill, options: creating },
    { method: 'GET', path: `${models}/{model}/test`, handler: test, options: open },
  ]
}
