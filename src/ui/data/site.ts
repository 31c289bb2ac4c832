import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import type { Site, SiteAction, SiteField, SiteModel } from '../../client/client.ts'
import { en, type Text } from '../text/en.ts'
import { foldedCase } from '../text/format.ts'
import type { PageSession } from './page-session.ts'

/** The query of the site: models, fields and permissions of the user. */
export const siteQuery = (session: PageSession) =>
  queryOptions({
    queryKey: ['site'],
    queryFn: ({ signal }) => session.read(signal, (client) => client.site({ signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Provides the site to the shell and the pages in it. */
export const SiteContext = createContext<Site | undefined>(undefined)

/** The site. */
export function useSite(): Site {
  const site = use(SiteContext)
  if (site === undefined) throw new Error('SiteContext has no value')
  return site
}

/** True for a built-in model, of users, groups or permissions, that the project has not put into a group of the menu. */
export const isAdministered = ({ key, group }: SiteModel): boolean => key in en.accounts.models && group === null

/** The site with the built-in models, their fields and choices named in the language of the page, unless the project names them itself. */
export const localSite = (site: Site, { models, fields, help, choices }: Text['accounts']): Site => ({
  ...site,
  models: site.models.map((model): SiteModel => {
    const builtIn = labelOf(en.accounts.models, model.key)
    if (builtIn === undefined) return model
    return {
      ...model,
      label: model.label === builtIn ? (labelOf(models, model.key) ?? model.label) : model.label,
      fields: model.fields.map((field) => ({
        ...field,
        label: accountLabel(fields, field.name, field.label),
        // A project cannot change this model.
        ...(model.key === 'savedview' && {
          help_text: labelOf(help, field.name) ?? field.help_text,
          choices:
            field.choices?.map((each) => ({ ...each, label: labelOf(choices, String(each.value)) ?? String(each.value) })) ??
            null,
        }),
      })),
    }
  }),
})

const labelOf = (labels: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined

/** The label of a field of a built-in model in the language of the page, unless the project names it itself. */
export const accountLabel = (labels: Text['accounts']['fields'], name: string, label: string): string =>
  (foldedCase(label) === name.replaceAll('_', ' ') ? labelOf(labels, name) : undefined) ?? label

/** A model that the user may access; undefined for others. */
export function useModel(key: string): SiteModel | undefined {
  return useSite().models.find((model) => model.key === key)
}

/** Reads the site again, for example since permissions or counts may have changed. */
export function useSiteRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: ['site'] })
}

/** True if the user may do the action with records of the model. */
export const may = (model: SiteModel | undefined, action: SiteAction): boolean => model?.can.includes(action) ?? false

/** A field of a model by name; that of a relation also by the name of the relation, as lists may name it. */
export const fieldOf = (model: SiteModel, name: string): SiteField | undefined =>
  model.fields.find((field) => field.name === name) ?? model.fields.find((field) => field.relation?.name === name)

/** The words of a name in a project: `PostArchiveList` is `Post archive list`. */
export const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Letters at the end of a singular in which its plural may differ: `Category`, `Categories`. */
const ENDING = 2

/** A text without marks on its letters: the singular of `Bücher` is `Buch`. */
const plainText = (text: string): string => foldedCase(text.normalize('NFD').replace(/\p{M}/gu, ''))

/**
 * What one record of a model is called in sentences, such as `Invoice line`. This is the name of the model in English, where names are written;
 * in other languages only if the label has the same stem. Otherwise it is the label.
 */
export function nounOf({ key, name, label }: SiteModel, { accounts }: Pick<Text, 'accounts'>, locale: string): string {
  if (label === labelOf(accounts.models, key)) return labelOf(accounts.nouns, key) ?? label
  const words = wordsOf(name)
  const stem = plainText(words).slice(0, Math.max(3, words.length - ENDING))
  const isSingular = locale.startsWith('en') || plainText(label).startsWith(stem)
  return isSingular ? words.charAt(0).toUpperCase() + words.slice(1) : label
}

/** A model of the site by key; undefined for one that the user has no permission for. */
export const modelOf = (site: Site, key: string): SiteModel | undefined => site.models.find((model) => model.key === key)

/** Models by the title of their group: in the order of the site, those without a group last. @param others title of these */
export function groupsOf(models: readonly SiteModel[], others: string): readonly (readonly [string, readonly SiteModel[]])[] {
  const groups = Map.groupBy(models, ({ group }) => group ?? '')
  const ungrouped = groups.get('') ?? []
  groups.delete('')
  return [...groups, ...(ungrouped.length > 0 ? [[others, ungrouped] as const] : [])]
}
