import type { Action } from '../auth/permissions.ts'
import { Faults } from '../config/fault.ts'
import type { DefinedModel } from '../model/build.ts'
import { ACCESS_ACTIONS, type AccessGrant } from '../model/definition.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { type AccessRule, AccessRules } from './access-rules.ts'
import { Condition } from './condition.ts'

/** Compiles the access of a project's models. Faulty rules are left out. */
export function compileAccess(models: readonly DefinedModel[], registry: Registry): { access: AccessRules; faults: Faults } {
  const faults = new Faults('model/access-invalid')
  const rules = new Map<string, Partial<Record<Action, AccessRule>>>()
  for (const { model, definition } of models) {
    for (const action of ACCESS_ACTIONS) {
      const grant = model.access[action]
      if (grant === undefined) continue
      const compiled = compileGrant(grant, action, model, registry)
      if (typeof compiled === 'string') faults.add(definition.source, ['access', action], compiled)
      else rules.set(model.key, { ...rules.get(model.key), [action]: compiled })
    }
  }
  return { access: new AccessRules(registry, rules), faults }
}

/** @returns the rule, or an error message */
function compileGrant(grant: AccessGrant, action: Action, model: Model, registry: Registry): AccessRule | string {
  if (typeof grant !== 'string') return { kind: 'group', group: grant.group }
  if (grant === 'public' || grant === 'authenticated') return { kind: grant }
  try {
    return { kind: 'condition', condition: Condition.compile(grant, model, registry) }
  } catch (error) {
    return `The condition of '${action}' cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
