import { AppError } from '../../errors.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { ApiClient } from './api-client.ts'

/** The models of a project by name, each with the field by which people know its records. */
export async function describedModels({ app, request }: ApiClient): Promise<ReadonlyMap<string, string>> {
  if (app !== undefined) return new Map(app.project.registry.public.map(({ key, displayField }) => [key, displayField]))
  const { components } = await request('GET', '/openapi.json')
  const schemas = Object.entries(components.schemas as Record<string, { 'x-display-field'?: string }>)
  return new Map(
    schemas.flatMap(([name, { 'x-display-field': field }]) => (field === undefined ? [] : [[name.toLowerCase(), field]])),
  )
}

/**
 * Asks for something about a model.
 *
 * @throws {AppError} MODEL_NOT_FOUND with the name that was probably meant
 */
export async function aboutModel<T>(client: ApiClient, name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'MODEL_NOT_FOUND') throw error
    const known = [...(await describedModels(client)).keys()]
    throw new AppError('MODEL_NOT_FOUND', `There is no model '${name}'${meantOrKnown(name, known)}`)
  }
}
