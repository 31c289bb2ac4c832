import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { may, useSiteRefresh } from '../data/site.ts'
import { errorMessage } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useText } from '../text/text.tsx'

/** True if the user may restore deleted records of a model. */
export const mayRestore = (model: SiteModel | undefined): boolean =>
  model?.history === true && may(model, 'add') && may(model, 'view')

/** A function that restores a deleted record, says so, and opens it. A refusal is shown with its reason. */
export function useRestore(): (model: SiteModel, id: number) => Promise<void> {
  const text = useText()
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const refreshSite = useSiteRefresh()
  return async (model, id) => {
    try {
      const { notices, consequences } = await session.run((client) => client.model(model.key).restore(id))
      for (const key of new Set([model.key, ...consequences.map((each) => each.model)])) void refreshModel(queries, key)
      void queries.invalidateQueries({ queryKey: ['history'] })
      void refreshSite()
      toasts.done(notices.length === 0 ? text.history.restored : text.history.restoredPartly)
      await navigate({ to: '/models/$model/$id', params: { model: model.key, id: String(id) } })
    } catch (error) {
      toasts.failed(text.history.notRestored, errorMessage(error, text.errors))
    }
  }
}
