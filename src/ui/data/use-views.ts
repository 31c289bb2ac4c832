import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { SiteModel, View } from '../../client/client.ts'
import type { Text } from '../text/en.ts'
import { useLocale, useText } from '../text/text.tsx'
import { useSession } from './page-session.ts'
import { accountLabel, nounOf } from './site.ts'
import { type FieldView, type FormView, type ListView, type ModelViews, sortedViews, viewsQuery } from './views.ts'

/** The views of a model; undefined until they are loaded. */
export function useViews(model: string) {
  const { models, fields } = useText().accounts
  const select = useCallback(
    (views: readonly View[]) => (model in models ? localViews(sortedViews(views), fields) : sortedViews(views)),
    [model, models, fields],
  )
  return useQuery({ ...viewsQuery(useSession(), model), select })
}

/** The views of a built-in model, the generated ones with titles in the language of the page, and with the help of the model. */
function localViews({ forms, lists }: ModelViews, labels: Text['accounts']['fields']): ModelViews {
  const local = <V extends FormView | ListView>(view: V): V =>
    view.generated === true ? { ...view, fields: view.fields.map(localField) } : view
  const localField = ({ title = '', help_text, ...field }: FieldView): FieldView => ({
    ...field,
    title: accountLabel(labels, field.name, title),
    // A secret field is in no model of the site.
    ...(field.field_type === 'password' && help_text !== undefined && { help_text }),
  })
  return { forms: forms.map(local), lists: lists.map(local) }
}

/** Names one record of a model in the language of the page. */
export function useNoun(): (model: SiteModel) => string {
  const text = useText()
  const locale = useLocale()
  return (model) => nounOf(model, text, locale)
}
