import { aggregateSchema, listEnvelope, pageEnvelope } from '../../openapi/bodies.ts'
import { jsonContent } from '../../openapi/operation.ts'
import { aggregateParameters, listParameters, searchParameters } from '../../openapi/query-parameters.ts'
import { object, ref } from '../../openapi/schema.ts'
import type { ModelRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, modelKeyOf, queryOf, readOptionsOf } from '../request.ts'

/** Lists, searches and totals of the records of a model. */
export function listRoutes({ roots: { models } }: RouteSource): ModelRoute[] {
  const common = { method: 'GET', access: 'view' } as const
  return [
    {
      ...common,
      path: `${models}/{model}`,
      describe: ({ model, registry, responses }) => ({
        operationId: `list${model.name}`,
        summary: `List ${model.label}`,
        description: 'Those that the user may view, a page at a time. Every order ends in `id`, so pages do not overlap.',
        tag: model.name,
        parameters: listParameters(model, registry),
        answers: { 200: responses.success('A page of records', jsonContent(listEnvelope(model))) },
      }),
      handler: (app) => async (request, h) =>
        jsonResponse(
          h,
          await app.reads.list(actorOf(request), modelKeyOf(request), queryOf(request), readOptionsOf(request, app)),
        ),
    },
    {
      ...common,
      path: `${models}/{model}/search`,
      describe({ model, registry, responses }) {
        const members = { ...pageEnvelope(model), hits: ref('searchHits') }
        const told = { missing: ref('missing'), notices: ref('notices') }
        const found = object({ ...members, ...told }, Object.keys(members))
        return {
          operationId: `search${model.name}`,
          summary: `Search ${model.label}`,
          description: 'Those with all words of `q`, or with any of them if none has all. The last word may be incomplete.',
          tag: model.name,
          parameters: searchParameters(model, registry),
          answers: { 200: responses.success('A page of records, the best first', jsonContent(found)) },
        }
      },
      handler: (app) => async (request, h) => {
        const options = readOptionsOf(request, app)
        const { body, missing } = await app.searches.search(actorOf(request), modelKeyOf(request), queryOf(request), options)
        return jsonResponse(h, body, { missing })
      },
    },
    {
      ...common,
      path: `${models}/{model}/aggregate`,
      describe: ({ model, registry, responses }) => ({
        operationId: `aggregate${model.name}`,
        summary: `Totals of ${model.label}, by group`,
        description: 'Of all records that match and that the user may view. More than 1,000 groups are a 400.',
        tag: model.name,
        parameters: aggregateParameters(model, registry),
        answers: { 200: responses.success('The groups, in the order of their values', jsonContent(aggregateSchema(model))) },
      }),
      handler: (app) => async (request, h) =>
        jsonResponse(
          h,
          await app.reads.aggregate(actorOf(request), modelKeyOf(request), queryOf(request), readOptionsOf(request, app)),
        ),
    },
  ]
}
