import Joi from 'joi'
import { Faults } from '../config/fault.ts'
import { SCHEMA_REFERENCE, validateShape } from '../config/shape.ts'
import type { Definition } from '../config/source.ts'
import type { Registry } from '../model/registry.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { codename } from './permissions.ts'

/** A role: a group with permissions. The server creates it at a start without a group of that name, and never changes an existing group. */
export interface Role {
  readonly name: string
  /** Codenames such as `change_post`. */
  readonly permissions: readonly string[]
}

/** Schema of a role definition. */
export const roleSchema = Joi.object<Role>({
  ...SCHEMA_REFERENCE,
  name: Joi.string().max(150).required(),
  permissions: Joi.array().items(Joi.string()).unique().required(),
})

/**
 * Parses the roles of a project. Roles of a wrong shape are left out; of two roles with one name the last stays. All faults are returned, also of
 * unknown permissions, and prevent a start.
 */
export function parseRoles(definitions: readonly Definition[], registry: Registry): { roles: readonly Role[]; faults: Faults } {
  const faults = new Faults('role/invalid')
  const known = registry.public.flatMap((model) => registry.actionsOf(model).map((action) => codename(action, model)))
  const roles = new Map<string, Role>()
  for (const { value: written, source } of definitions) {
    const { value, faults: found } = validateShape(roleSchema, written, source, { rule: () => 'role/invalid' })
    faults.addAll(found.list)
    if (value === undefined) continue
    for (const [index, permission] of value.permissions.entries()) {
      if (known.includes(permission)) continue
      const message = `There is no permission '${permission}'${meantOrKnown(permission, known)}`
      faults.add(source, ['permissions', index], message, { rule: 'role/unknown-permission' })
    }
    if (roles.has(value.name)) faults.add(source, ['name'], `There is already a role '${value.name}'`)
    roles.set(value.name, value)
  }
  return { roles: [...roles.values()], faults }
}
