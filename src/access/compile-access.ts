import { Faults } from '../config/fault.ts'
import type { DefinedModel } from '../model/build.ts'
import type { AccessGrant } from '../model/definition.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { didYouMean } from '../util/suggest.ts'
import { type AccessRule, AccessRules } from './access-rules.ts'
import { Condition } from './condition.ts'

/** An action of the project whose definition says who may perform it. */
interface RuledAction {
  readonly model: Model
  readonly name: string
  readonly access: AccessRule | undefined
}

/**
 * Compiles the access of a project's models. Faulty rules are left out.
 *
 * @param actions the actions of the project, which may have a rule of their own
 */
export function compileAccess(
  models: readonly DefinedModel[],
  registry: Registry,
  actions: Iterable<RuledAction> = [],
): { access: AccessRules; faults: Faults } {
  const faults = new Faults('model/access-invalid')
  const rules = new Map<string, Record<string, AccessRule>>()
  const add = (model: Model, action: string, rule: AccessRule) =>
    rules.set(model.key, { ...rules.get(model.key), [action]: rule })
  for (const { model, name, access } of actions) if (access !== undefined) add(model, name, access)
  for (const { model, definition } of models) {
    const known = registry.actionsOf(model)
    for (const [action, grant] of Object.entries(model.access)) {
      if (grant === undefined) continue
      const report = (message: string, part?: 'key') =>
        faults.add(definition.source, ['access', action], message, part && { part, rule: 'model/invalid' })
      if (!known.includes(action)) {
        report(`Unknown key '${action}'${didYouMean(action, known)}`, 'key')
        continue
      }
      const rule = compileGrant(grant, action, model, registry)
      if (typeof rule === 'string') report(rule)
      else if (rule.kind === 'public' && registry.ownActionsOf(model).includes(action)) {
        report(`'${action}' is an action, which needs a user; write authenticated`)
      } else if (rules.get(model.key)?.[action] !== undefined) {
        report(`The action '${action}' has an access of its own; keep one of the two`)
      } else add(model, action, rule)
    }
  }
  return { access: new AccessRules(registry, rules), faults }
}

/** @returns the rule, or an error message */
function compileGrant(grant: AccessGrant, action: string, model: Model, registry: Registry): AccessRule | string {
  if (typeof grant !== 'string') return { kind: 'group', group: grant.group }
  if (grant === 'public' || grant === 'authenticated') return { kind: grant }
  try {
    return { kind: 'condition', condition: Condition.compile(grant, model, registry) }
  } catch (error) {
    return `The condition of '${action}' cannot be used: ${error instanceof Error ? error.message : String(error)}`
  }
}
