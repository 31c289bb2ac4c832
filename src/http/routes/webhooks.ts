import type { Request, ResponseObject, ResponseToolkit, ServerRoute } from '@hapi/hapi'
import type { App } from '../../app.ts'
import { superusersOnly } from '../../auth/permissions.ts'
import { Parameters, readRecordId } from '../../query/parameters.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS, type PageRequest, pageJson, sliceOf } from '../../query/plan.ts'
import { jsonResponse } from '../json.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, queryOf } from '../request.ts'

const STATUSES = ['pending', 'delivered', 'failed']

/** Webhook subscriptions, their tests, and the delivery log, for superusers. Secrets are returned by `create` and `rotate` only. */
export function webhookRoutes({ settings, webhooks: service }: App): ServerRoute[] {
  const { webhooks } = apiRoots(settings)
  const options = {
    auth: 'bearer',
    plugins: { limitsUsers: true, admits: (request: Request) => superusersOnly(actorOf(request)) },
  }
  const withQuery = { ...options, plugins: { ...options.plugins, readsQuery: true } }

  const list = async (request: Request, h: ResponseToolkit) => {
    const { page } = readPage(request, [])
    const all = await service.list(actorOf(request))
    const { offset, limit } = sliceOf(page)
    return jsonResponse(h, pageJson(JSON.stringify(all.slice(offset, offset + limit)), all.length, page))
  }

  const create = async (request: Request, h: ResponseToolkit) => {
    const { created, isList } = await service.create(actorOf(request), request.payload)
    if (isList) return h.response({ data: created, total: created.length }).code(201)
    const [data] = created
    return h.response({ data }).code(201).location(`${webhooks}/${data?.id}`)
  }

  const read = async (request: Request) => ({ data: await service.get(actorOf(request), idOf(request)) })

  const update = async (request: Request) => ({ data: await service.update(actorOf(request), idOf(request), request.payload) })

  const remove = async (request: Request) => ({
    message: 'Webhook deleted successfully',
    data: await service.remove(actorOf(request), idOf(request)),
  })

  const rotate = async (request: Request) => ({ data: await service.rotate(actorOf(request), idOf(request), request.payload) })

  const test = async (request: Request) => ({ data: await service.test(actorOf(request), idOf(request)) })

  const deliveries = (id: (request: Request) => number | undefined) => async (request: Request, h: ResponseToolkit) => {
    const { page, status } = readPage(request, ['status'])
    const { data, total } = await service.deliveries(actorOf(request), id(request), page, status)
    return jsonResponse(h, pageJson(JSON.stringify(data), total, page))
  }

  const redeliver = async (request: Request, h: ResponseToolkit): Promise<ResponseObject> =>
    h.response({ data: await service.redeliver(actorOf(request), idOf(request)) }).code(202)

  return [
    { method: 'GET', path: webhooks, handler: list, options: withQuery },
    { method: 'POST', path: webhooks, handler: create, options },
    { method: 'GET', path: `${webhooks}/{id}`, handler: read, options },
    { method: ['PUT', 'PATCH'], path: `${webhooks}/{id}`, handler: update, options },
    { method: 'DELETE', path: `${webhooks}/{id}`, handler: remove, options },
    { method: 'POST', path: `${webhooks}/{id}/rotate`, handler: rotate, options },
    { method: 'POST', path: `${webhooks}/{id}/test`, handler: test, options },
    { method: 'GET', path: `${webhooks}/{id}/deliveries`, handler: deliveries(idOf), options: withQuery },
    { method: 'GET', path: `${webhooks}/deliveries`, handler: deliveries(() => undefined), options: withQuery },
    { method: 'POST', path: `${webhooks}/deliveries/{id}/redeliver`, handler: redeliver, options },
  ]
}

const idOf = (request: Request): number => readRecordId(String(request.params.id))

/** @throws {AppError} INVALID_REQUEST */
function readPage(request: Request, others: readonly string[]): { page: PageRequest; status: string | undefined } {
  const parameters = new Parameters(new URLSearchParams(queryOf(request)), ['page', 'page_size', ...others])
  const page = {
    page: parameters.integer('page', { absent: 1, min: 1 }),
    pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_RECORDS }),
  }
  const status = parameters.one('status')
  if (status !== undefined && !STATUSES.includes(status)) {
    parameters.fault('status', `'status' must be one of: ${STATUSES.join(', ')}, not '${status}'`)
  }
  parameters.throwIfFaulty()
  return { page, status }
}
