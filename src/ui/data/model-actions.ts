import type { SiteModel, SiteModelAction } from '../../client/client.ts'

/** The view that an action is offered in: it may name the actions in its order. */
interface OfferingView {
  readonly actions?: readonly string[]
}

/**
 * The actions that a view offers and the user may perform, in the order of the view; without one, all of the model.
 *
 * @param targets what they are performed on
 */
export function offeredActions(
  model: SiteModel,
  { actions: names }: OfferingView,
  targets: readonly SiteModelAction['on'][],
): readonly SiteModelAction[] {
  const all =
    names === undefined ? model.actions : names.flatMap((name) => model.actions.find((each) => each.name === name) ?? [])
  return all.filter(({ can, on }) => can && targets.includes(on))
}

/** Names of the fields of the record that the conditions of actions read. */
export const conditionFields = (model: SiteModel, actions: readonly SiteModelAction[]): readonly string[] =>
  model.fields.flatMap(({ name }) => (actions.some(({ when }) => when !== null && namesIn(when, 'self').has(name)) ? [name] : []))

/** Names of the members of `self` or `user` in a condition. */
export const namesIn = (when: string, subject: 'self' | 'user'): ReadonlySet<string> =>
  new Set([...when.matchAll(/\b(self|user)\.(\w+)/g)].flatMap(([, of, name = '']) => (of === subject ? [name] : [])))
