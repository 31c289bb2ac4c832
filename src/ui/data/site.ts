import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import type { Site, SiteAction, SiteField, SiteModel } from '../../client/client.ts'
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

/** A model of the site by key; undefined for one that the user has no permission for. */
export const modelOf = (site: Site, key: string): SiteModel | undefined => site.models.find((model) => model.key === key)

/** The name of one record of a model: `Invoice line` for the model `InvoiceLine`. */
export function singularOf({ name }: SiteModel): string {
  const words = name.replaceAll('_', ' ').replace(/(?<=\p{Ll}|\d)(?=\p{Lu})/gu, ' ')
  return words.charAt(0) + words.slice(1).replace(/(?<= )\p{Lu}(?!\p{Lu})/gu, (letter) => letter.toLowerCase())
}

/** Models by the title of their group: in the order of the site, those without a group last. @param others title of these */
export function groupsOf(models: readonly SiteModel[], others: string): readonly (readonly [string, readonly SiteModel[]])[] {
  const groups = Map.groupBy(models, ({ group }) => group ?? '')
  const ungrouped = groups.get('') ?? []
  groups.delete('')
  return [...groups, ...(ungrouped.length > 0 ? [[others, ungrouped] as const] : [])]
}
