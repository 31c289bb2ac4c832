import { body, jsonContent } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, object, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { originOf } from '../preconditions.ts'
import { actorOf } from '../request.ts'

const ID: Schema = { type: 'integer', minimum: 0 }

/** Computes the fields of stored records again, after the hooks of the project have changed. */
export function recomputeRoutes({ roots, responses }: RouteSource): ApiRoute[] {
  const asked = strictObject(
    {
      model: TEXT,
      after: { ...ID, default: 0, description: 'The `last` of the answer before' },
      dry_run: { type: 'boolean', default: false },
    },
    ['model'],
  )
  const data = object({ read: COUNT_SCHEMA, changed: COUNT_SCHEMA, last: { ...ID, type: ['integer', 'null'] } })
  return [
    {
      method: 'POST',
      path: roots.recompute,
      access: 'superuser',
      operationId: 'recompute',
      summary: 'Compute fields of stored records again',
      description: `The next ${MAX_BULK_RECORDS} by id, for superusers. \`last\` is null behind the last one.`,
      tag: 'operations',
      requestBody: body(jsonContent(asked)),
      answers: { 200: responses.success('How many were read and changed', jsonContent(object({ data }))) },
      failures: ['notFound', 'conflict'],
      handler:
        ({ records }, { random }) =>
        async (request) => ({
          data: await records.recompute(actorOf(request), request.payload, originOf(request, random)),
        }),
    },
  ]
}
