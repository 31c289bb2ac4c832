import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { SiteModel, SiteModelAction } from '../../client/client.ts'
import { plainView } from '../cells/choices.ts'
import { valueText } from '../cells/value-text.ts'
import { conditionFields, offeredActions } from '../data/model-actions.ts'
import type { AnyRecord, ListedPage } from '../data/records.ts'
import { fieldOf, useSite } from '../data/site.ts'
import { type FormView, type ListView, titleOf } from '../data/views.ts'
import { formatList } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { type ActionCondition, knownOf, loadActionConditions } from './conditions.ts'

/** An action that a view offers. */
export interface Offer {
  readonly action: SiteModelAction
  /** Why it is not possible; undefined if it is, as far as the page knows. */
  readonly reason: string | undefined
  /** True until its condition is loaded. */
  readonly isPending: boolean
}

/** The actions of a record, in the order of its form. One whose condition is false says what the fields are that it reads. */
export function useRecordOffers(model: SiteModel, form: FormView, record: AnyRecord): readonly Offer[] {
  const text = useText()
  const locale = useLocale()
  const { user } = useSite()
  const actions = offeredActions(model, form, ['record', 'selection'])
  const self = knownOf(model, record)
  const reasonOf = (action: SiteModelAction): string => {
    const facts = conditionFields(model, [action]).flatMap((name) => {
      const field = fieldOf(model, name)
      if (field === undefined || field.relation !== null || field.type === 'json') return []
      const view = form.fields.find((each) => each.name === name) ?? plainView(field)
      const value = self[name] ?? ''
      const { empty, eq } = text.list.operators
      if (value === '') return [`${titleOf(view, field)} ${empty}`]
      const items = [value].flat().map((item) => valueText(String(item), field, view, { text, locale }))
      return [`${titleOf(view, field)} ${eq} ${formatList(items, locale)}`]
    })
    const { notPossible, notPossibleHere } = text.modelActions
    return facts.length === 0 ? notPossibleHere : notPossible(formatList(facts, locale))
  }
  return useOffers(actions, (action, isMet) => (isMet(self, { ...user }) ? undefined : reasonOf(action)))
}

/**
 * The actions for selected records, in the order of the list view. One is not possible if its condition is false for a selected record that
 * the page has read.
 *
 * @param allOf the number of all matches, if all are selected
 * @param shown the records of the page of the list
 */
export function useSelectionOffers(
  model: SiteModel,
  view: ListView,
  { ids, allOf }: { readonly ids: ReadonlySet<number>; readonly allOf: number | undefined },
  shown: readonly AnyRecord[],
): readonly Offer[] {
  const text = useText().modelActions
  const { user } = useSite()
  const queries = useQueryClient()
  const actions = offeredActions(model, view, ['selection'])
  const selected = (): readonly AnyRecord[] => {
    if (allOf !== undefined) return allOf === shown.length ? shown : []
    const pages = queries.getQueriesData<ListedPage>({ queryKey: ['records', model.key, 'list'] })
    const known = new Map([...pages.flatMap(([, page]) => page?.data ?? []), ...shown].map((record) => [record.id, record]))
    return [...ids].flatMap((id) => known.get(id) ?? [])
  }
  return useOffers(actions, (_, isMet) => {
    const refused = selected().filter((record) => !isMet(knownOf(model, record), { ...user })).length
    return refused === 0 ? undefined : text.notPossibleFor(refused, allOf ?? ids.size)
  })
}

/** The actions of a model that are performed without a record, in the order of the list view. */
export const modelOffers = (model: SiteModel, view: ListView): readonly Offer[] =>
  offeredActions(model, view, ['model']).map((action) => ({ action, reason: undefined, isPending: false }))

/** @param reasonOf why an action with a condition is not possible */
function useOffers(
  actions: readonly SiteModelAction[],
  reasonOf: (action: SiteModelAction, isMet: ActionCondition) => string | undefined,
): readonly Offer[] {
  const texts = actions.flatMap(({ when }) => when ?? [])
  const conditions = useQuery({
    queryKey: ['conditions', texts],
    queryFn: () => loadActionConditions(texts),
    enabled: texts.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return actions.map((action) => {
    const isMet = action.when === null ? undefined : conditions.data?.get(action.when)
    const isPending = action.when !== null && conditions.isPending
    return { action, isPending, reason: isMet && reasonOf(action, isMet) }
  })
}
