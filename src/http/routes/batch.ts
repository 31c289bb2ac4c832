import type { App } from '../../app.ts'
import type { Actor } from '../../auth/permissions.ts'
import { upTo } from '../../openapi/bodies.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import { DRY_RUN } from '../../openapi/query-parameters.ts'
import { COUNT_SCHEMA, FLAG, object, oneName, type Schema, strictObject } from '../../openapi/schema.ts'
import { arrayJson, type RecordJson } from '../../reads/record-json.ts'
import { REF_MEMBER } from '../../records/batch-references.ts'
import { BATCH_METHODS, MAX_REF } from '../../records/batch-requests.ts'
import type { BatchedRecord } from '../../records/batches.ts'
import { MAX_BULK_RECORDS } from '../../records/write-requests.ts'
import { groupBy, isObject } from '../../util/json.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { writeOf } from '../preconditions.ts'

const DATA: Schema = {
  type: 'object',
  description: `As in a write of one record; {"${REF_MEMBER}": "order"} in a relation stands for the id of an earlier operation`,
}

/** Creation, change and deletion of records of any models, all or none. */
export function batchRoutes({ roots, responses, registry }: RouteSource): ApiRoute[] {
  const model = oneName(registry.public.map(({ key }) => key))
  const id: Schema = { type: 'integer' }
  const text: Schema = { type: ['string', 'null'] }
  const operation = strictObject(
    {
      method: oneName(BATCH_METHODS),
      model,
      id,
      data: DATA,
      form_id: text,
      if_match: text,
      ref: { ...text, maxLength: MAX_REF },
    },
    ['method', 'model'],
  )
  const record = {
    ...object({ id }),
    additionalProperties: true,
    description: 'As its model shows it. A related record that a deletion or a dry run leaves unstored is null.',
  }
  const answer = object(
    {
      data: { type: 'array', items: record },
      total: COUNT_SCHEMA,
      etags: { type: 'array', items: text },
    },
    ['data', 'total'],
  )
  return [
    {
      method: 'POST',
      path: roots.batch,
      access: 'token',
      keys: 'scoped',
      operationId: 'batch',
      summary: 'Create, change and delete records of any models, all or none',
      description: `Up to ${MAX_BULK_RECORDS} operations, in their order. Errors are by \`<index>.<field>\`.`,
      tag: 'operations',
      parameters: [DRY_RUN],
      requestBody: body(
        jsonContent(strictObject({ operations: upTo(MAX_BULK_RECORDS, operation), etags: FLAG }, ['operations'])),
      ),
      answers: {
        200: responses.success(
          'The records in the order of the operations, as they are, or in a dry run would be; a deleted one as it was',
          jsonContent(answer),
        ),
      },
      failures: ['forbidden', 'conflict'],
      handler:
        (app, { random }) =>
        async (request, h) => {
          const { actor, options } = writeOf(request, app, random)
          const written = await app.records.batch(actor, request.payload, options)
          const shown = await presented(app, actor, written, options.dryRun)
          const tags = isObject(request.payload) && request.payload.etags === true ? `,"etags":${tagsOf(written, shown)}` : ''
          return jsonResponse(h, `{"data":${arrayJson(shown)},"total":${shown.length}${tags}}`)
        },
    },
  ]
}

/** The records as their models show them, in their order. */
async function presented(
  { reads }: App,
  actor: Actor,
  written: readonly BatchedRecord[],
  isDryRun: boolean,
): Promise<readonly RecordJson[]> {
  const shown = new Map<BatchedRecord, RecordJson>()
  for (const [model, ofModel] of groupBy(written, (each) => each.model)) {
    const records = ofModel.map(({ record }) => record)
    const found = isDryRun ? await reads.all(actor, model.key, records) : await reads.written(actor, model.key, records)
    for (const [index, each] of ofModel.entries()) {
      const json = found[index]
      if (json !== undefined) shown.set(each, json)
    }
  }
  return written.flatMap((each) => shown.get(each) ?? [])
}

/** The entity tags of records; null for a deleted one. */
const tagsOf = (written: readonly BatchedRecord[], shown: readonly RecordJson[]): string =>
  JSON.stringify(shown.map(({ version }, index) => (written[index]?.isDeleted === true ? null : `"${version}"`)))
