import { ACCOUNT_EVENT_NAMES } from '../../accounts/account-events.ts'
import { envelope } from '../../openapi/bodies.ts'
import { jsonContent } from '../../openapi/operation.ts'
import { PAGE } from '../../openapi/query-parameters.ts'
import { COUNT_SCHEMA, FLAG, MOMENT, nullable, object, oneName, ref, type Schema, TEXT } from '../../openapi/schema.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS, pageJson } from '../../query/plan.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, parametersOf } from '../request.ts'

const ID: Schema = { type: 'integer', minimum: 1 }

/** Schema of an event of an account. Lower case, so that no model's schema has the same name. */
export const ACCOUNT_LOG_SCHEMAS: Readonly<Record<string, Schema>> = {
  accountEvent: {
    ...object({
      id: ID,
      event: oneName(ACCOUNT_EVENT_NAMES),
      at: MOMENT,
      user: object({ id: ID, username: TEXT }),
      address: { ...nullable(TEXT), description: 'Address of the client; the /56 network of an IPv6 address' },
      user_agent: nullable({ ...TEXT, maxLength: 200 }),
      method: { ...nullable(TEXT), description: 'How, such as `password`; `shell` and `other_user` if not by the user' },
      session: { ...nullable(ID), description: 'Id of the session' },
      request_id: nullable(TEXT),
      count: { ...COUNT_SCHEMA, description: 'How many times: failures of a minute from one address are one entry' },
    }),
    description: 'What has happened to an account',
  },
}

/** The log of accounts: the own one, and those of others for superusers. */
export function accountLogRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  return [
    {
      tag: 'auth',
      access: 'token',
      method: 'GET',
      path: `${auth}/log`,
      operationId: 'listAccountEvents',
      summary: 'What has happened to the own account, or to others, latest first',
      description: 'Logins, failed ones, changed passwords and more, for as many days as the setting `accounts.log_days` says.',
      parameters: [
        ...PAGE,
        { name: 'user_id', in: 'query', description: 'Another user; for superusers', schema: ID },
        { name: 'all', in: 'query', description: 'All users; for superusers', schema: FLAG },
      ],
      answers: { 200: responses.success('A page', jsonContent(object(envelope(ref('accountEvent'))))) },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ accountEvents }) =>
        async (request, h) => {
          const parameters = parametersOf(request)
          const page = {
            page: parameters.integer('page', { absent: 1, min: 1 }),
            pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_RECORDS }),
          }
          const userId = parameters.has('user_id') ? parameters.integer('user_id', { absent: 0, min: 1 }) : undefined
          const all = parameters.has('all') ? parameters.flag('all') : undefined
          if (userId !== undefined && all === true) parameters.fault('all', "'all' and 'user_id' exclude each other")
          parameters.throwIfFaulty()
          const selection = { userId, ...(all === undefined ? {} : { all }) }
          const { data, total } = await accountEvents.list(actorOf(request), page, selection)
          return jsonResponse(h, pageJson(JSON.stringify(data), total, page))
        },
    },
  ]
}
