import Joi from 'joi'
import { codename } from '../auth/permissions.ts'
import type { Faults } from '../config/fault.ts'
import type { Source } from '../config/source.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { Access } from './define.ts'

/** Schema of `access`. A condition rather than alternatives, so that a fault names the key. @param names what it may be as a text */
export const accessSchema = (...names: readonly Extract<Access, string>[]): Joi.Schema =>
  Joi.alternatives().conditional(Joi.object(), {
    // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
    then: Joi.object({ permission: Joi.string(), group: Joi.string() }).xor('permission', 'group'),
    otherwise: Joi.valid(...names),
  })

/** Checks that a model has the permission that `access` names. Groups are records, so they are not known here. */
export function checkPermission(
  { permission }: { readonly permission: string },
  registry: Registry,
  source: Source,
  faults: Faults,
): void {
  const known = registry.public.flatMap((model) => registry.actionsOf(model).map((action) => codename(action, model)))
  if (known.includes(permission)) return
  faults.add(source, ['access', 'permission'], `There is no permission '${permission}'${meantOrKnown(permission, known)}`)
}
