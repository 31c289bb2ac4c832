import { AppError } from '../errors.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { ApiClient } from './api-client.ts'

/** The models of a project, by the description of its API where a server has it: that is not limited as logins are. */
export async function modelNames({ app, request }: ApiClient): Promise<string[]> {
  if (app !== undefined) return app.project.registry.public.map(({ key }) => key)
  const { paths } = await request('GET', '/openapi.json')
  return Object.keys(paths).flatMap((path) => /\/models\/([^/]+)\/export$/.exec(path)?.[1] ?? [])
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
    throw new AppError('MODEL_NOT_FOUND', `There is no model '${name}'${meantOrKnown(name, await modelNames(client))}`)
  }
}
