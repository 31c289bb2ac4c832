import { type Actor, ANONYMOUS } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { unauthenticated } from '../accounts/login-failure.ts'

/** The error for every action that the actor may not perform: UNAUTHENTICATED without a token, FORBIDDEN with one. */
export const forbidden = (actor: Actor): AppError =>
  actor === ANONYMOUS ? unauthenticated() : new AppError('FORBIDDEN', 'User does not have permission to access this resource')

/** @throws {AppError} FORBIDDEN */
export function superusersOnly(actor: Actor): void {
  if (!actor.isSuperuser) throw forbidden(actor)
}

/** `User with ID 999 does not exist` */
export const noSuchRecord = (model: { readonly name: string }, id: number): string => `${model.name} with ID ${id} does not exist`
