import { AppError } from '../../errors.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { ApiClient } from './api-client.ts'

/** Returns the display field of each public model, by model key. */
export async function describedModels({ app, request }: ApiClient): Promise<ReadonlyMap<string, string>> {
  // Without a server, the project is loaded in this process.
  if (app !== undefined) return new Map(app.project.registry.public.map(({ key, displayField }) => [key, displayField]))
  // Only schemas of models have a display field, and a model's key is the name of its schema in lower case.
  const { components } = await request('GET', '/openapi.json')
  const schemas = Object.entries(components.schemas as Record<string, { 'x-display-field'?: string }>)
  return new Map(
    schemas.flatMap(([name, { 'x-display-field': field }]) => (field === undefined ? [] : [[name.toLowerCase(), field]])),
  )
}

/**
 * Runs requests for one model. An error that the model does not exist is replaced by one that suggests a name.
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
