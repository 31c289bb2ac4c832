import { AppError } from '../../errors.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { ApiClient } from './api-client.ts'

/** Returns the display field of each public model, by model key. */
export async function describedModels({ app, request }: ApiClient): Promise<ReadonlyMap<string, string>> {
  if (app !== undefined) return new Map(app.project.registry.public.map(({ key, displayField }) => [key, displayField]))
  const { components } = await request('GET', '/openapi.json')
  const schemas = Object.entries(components.schemas as Record<string, { 'x-display-field'?: string }>)
  return new Map(
    schemas.flatMap(([name, { 'x-display-field': field }]) => (field === undefined ? [] : [[name.toLowerCase(), field]])),
  )
}

/**
 * Runs requests that concern one model.
 *
 * @throws {AppError} MODEL_NOT_FOUND with the most similar name, or the names of all models
 */
export async function withModelSuggestion<T>(client: ApiClient, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MODEL_NOT_FOUND') throw error
    const known = [...(await describedModels(client)).keys()]
    throw new AppError('MODEL_NOT_FOUND', `There is no model '${name}'${meantOrKnown(name, known)}`)
  }
}
