import type { Client } from '../client/client.ts'
import type { QueryEntries } from '../client/query.ts'
import { AppError } from '../errors.ts'
import type { OpenApiDocument } from '../openapi/operation.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { type ApiClient, appErrorOf, withApi } from './api-client.ts'
import type { Io } from './io.ts'
import { type DocumentOptions, remoteOf } from './remote.ts'

/** The OpenAPI document of the server that the command line or the environment names; undefined for a project folder. */
export async function remoteDocument(io: Io, options: DocumentOptions): Promise<OpenApiDocument | undefined> {
  if (remoteOf(io, options) === undefined) return undefined
  return withApi(io, options, async ({ client }) => (await client.request('/openapi.json')) as OpenApiDocument)
}

/** Returns the display field of each public model, by model key. */
export async function describedModels({ app, client }: ApiClient): Promise<ReadonlyMap<string, string>> {
  // Without a server, the project is loaded in this process.
  if (app !== undefined) return new Map(app.project.registry.public.map(({ key, displayField }) => [key, displayField]))
  // Only schemas of models have a display field, and a model's key is the name of its schema in lower case.
  const { components } = (await client.request('/openapi.json')) as {
    components: { schemas: Record<string, { 'x-display-field'?: string }> }
  }
  const schemas = Object.entries(components.schemas)
  return new Map(
    schemas.flatMap(([name, { 'x-display-field': field }]) => (field === undefined ? [] : [[name.toLowerCase(), field]])),
  )
}

/**
 * Runs requests for one model. An error that the model does not exist is replaced by one that suggests a name.
 *
 * @throws {AppError} MODEL_NOT_FOUND with the most similar name, or the names of all models
 */
export async function withModelSuggestion<T>(api: ApiClient, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (caught) {
    const error = appErrorOf(caught)
    if (!(error instanceof AppError) || error.code !== 'MODEL_NOT_FOUND') throw error
    const known = [...(await describedModels(api)).keys()]
    throw new AppError('MODEL_NOT_FOUND', `There is no model '${name}'${meantOrKnown(name, known)}`)
  }
}

/** Maximum page size of the API. */
export const MAX_PAGE = 100

/**
 * Fetches the first pages of a list, until they hold `limit` records or there are no more.
 *
 * @param path below the API's root
 * @param query parameters without `page` and `page_size`
 * @returns at least one page; the last may exceed the limit
 */
export async function firstPages<Page extends { readonly has_next: boolean }>(
  client: Client,
  path: string,
  query: QueryEntries,
  limit: number,
): Promise<readonly [Page, ...Page[]]> {
  const size = Math.min(limit, MAX_PAGE)
  const page = async (number: number): Promise<Page> =>
    (await client.request(path, { query: [...query, ['page_size', size], ['page', number]] })) as Page
  const pages: [Page, ...Page[]] = [await page(1)]
  while (pages.at(-1)?.has_next === true && pages.length * size < limit) pages.push(await page(pages.length + 1))
  return pages
}
