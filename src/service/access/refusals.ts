import type { Actor } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'

/** The error for every action that the actor has no permission for. */
export const forbidden = (): AppError => new AppError('FORBIDDEN', 'User does not have permission to access this resource')

/** @throws {AppError} FORBIDDEN */
export function superusersOnly({ isSuperuser }: Actor): void {
  if (!isSuperuser) throw forbidden()
}

/** `User with ID 999 does not exist` */
export const noSuchRecord = (model: { readonly name: string }, id: number): string => `${model.name} with ID ${id} does not exist`
