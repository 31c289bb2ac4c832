import { type Action, type Actor, may, SYSTEM } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'

/**
 * Looks up the model that a request names and checks the actor's permission for the action.
 *
 * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN
 */
export function modelFor(registry: Registry, actor: Actor, action: Action, key: string): Model {
  const model = registry.get(key)
  if (model === undefined || (model.internal && actor !== SYSTEM))
    throw new AppError('MODEL_NOT_FOUND', `Model '${key}' does not exist`)
  if (!may(actor, action, model)) throw forbidden()
  return model
}

/** The error for every action that the actor has no permission for. */
export const forbidden = (): AppError => new AppError('FORBIDDEN', 'User does not have permission to access this resource')

/** @throws {AppError} FORBIDDEN */
export function superusersOnly({ isSuperuser }: Actor): void {
  if (!isSuperuser) throw forbidden()
}

/** `User with ID 999 does not exist` */
export const noSuchRecord = (model: { readonly name: string }, id: number): string => `${model.name} with ID ${id} does not exist`
