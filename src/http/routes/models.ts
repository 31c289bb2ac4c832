import type { Request, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import type { Presented } from '../../service/reads.ts'
import type { StoredRecord } from '../../store/store.ts'
import { ifMatch, recordResponse } from '../etag.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, queryOf } from '../request.ts'

/** The Models API: create, list, read, update, delete, each singly and in bulk. */
export function modelRoutes(app: App): ServerRoute[] {
  const { models } = apiRoots(app.settings)
  const { reads, records } = app
  const options = { auth: 'bearer', plugins: { rateLimit: 'default' as const } }
  const withQuery = { ...options, plugins: { ...options.plugins, readsQuery: true } }

  const presentOne = async (modelKey: string, record: StoredRecord): Promise<Presented> => {
    const [presented] = await reads.present(modelKey, [record])
    if (presented === undefined) throw new Error('A record was not presented')
    return presented
  }
  const presentAll = async (modelKey: string, stored: readonly StoredRecord[]) => {
    const data = (await reads.present(modelKey, stored)).map(({ body }) => body)
    return { data, total: data.length }
  }

  const list = async (request: Request) => reads.list(actorOf(request), modelOf(request), queryOf(request))

  const create = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const record = await records.create(actorOf(request), modelKey, request.payload)
    const presented = await presentOne(modelKey, record)
    return recordResponse(h, presented).code(201).location(`${models}/${modelKey}/${record.id}`)
  }

  const read = async (request: Request, h: ResponseToolkit) => {
    const presented = await reads.get(actorOf(request), modelOf(request), recordIdOf(request), queryOf(request))
    return recordResponse(h, presented)
  }

  const update = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const record = await records.update(actorOf(request), modelKey, recordIdOf(request), request.payload, ifMatch(request))
    const presented = await presentOne(modelKey, record)
    return recordResponse(h, presented)
  }

  const remove = async (request: Request) => {
    const modelKey = modelOf(request)
    const record = await records.remove(actorOf(request), modelKey, recordIdOf(request), ifMatch(request))
    return { message: 'Record deleted successfully', data: (await presentOne(modelKey, record)).body }
  }

  const bulkCreate = async (request: Request, h: ResponseToolkit) => {
    const modelKey = modelOf(request)
    const created = await records.createMany(actorOf(request), modelKey, request.payload)
    return h.response(await presentAll(modelKey, created)).code(201)
  }

  const bulkUpdate = async (request: Request) => {
    const modelKey = modelOf(request)
    return presentAll(modelKey, await records.updateMany(actorOf(request), modelKey, request.payload))
  }

  const bulkRemove = async (request: Request) => {
    const modelKey = modelOf(request)
    const removed = await records.removeMany(actorOf(request), modelKey, request.payload)
    return { message: `${removed.length} records deleted successfully`, ...(await presentAll(modelKey, removed)) }
  }

  return [
    { method: 'POST', path: `${models}/{model}`, handler: create, options },
    { method: 'GET', path: `${models}/{model}`, handler: list, options: withQuery },
    { method: 'GET', path: `${models}/{model}/{record_id}`, handler: read, options: withQuery },
    { method: 'PUT', path: `${models}/{model}/{record_id}`, handler: update, options },
    { method: 'DELETE', path: `${models}/{model}/{record_id}`, handler: remove, options },
    { method: 'POST', path: `${models}/{model}/bulk`, handler: bulkCreate, options },
    { method: 'PUT', path: `${models}/{model}/bulk`, handler: bulkUpdate, options },
    { method: 'DELETE', path: `${models}/{model}/bulk`, handler: bulkRemove, options },
  ]
}

const modelOf = (request: Request): string => String(request.params.model)

const recordIdOf = (request: Request): string => String(request.params.record_id)
