import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { titledSentence } from '../data/api-sentences.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { restoreRecords } from '../data/restorations.ts'
import { may, useSite, useSiteRefresh } from '../data/site.ts'
import { useNoun } from '../data/use-views.ts'
import { focusContent } from '../parts/page-header.tsx'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import type { Undo } from './use-undo-notice.ts'

/** True if the user may restore deleted records of a model. */
export const mayRestore = (model: SiteModel | undefined): boolean =>
  model?.history === true && may(model, 'add') && may(model, 'view')

/** Brings deleted records back. */
interface Restorer {
  /** Restores a record, says so, and opens it. A refusal is shown with its reason. */
  readonly one: (model: SiteModel, id: number) => Promise<void>
  /** Restores records that were deleted together. */
  readonly all: (model: SiteModel, records: readonly AnyRecord[], say: Parameters<Undo>[0]) => ReturnType<Undo>
}

/** Functions that restore deleted records, with what went with them. */
export function useRestore(): Restorer {
  const text = useText()
  const later = useLaterText()
  const session = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toasts = useToasts()
  const { models } = useSite()
  const noun = useNoun()
  const refreshSite = useSiteRefresh()

  const refresh = (changed: Iterable<string>) => {
    for (const key of changed) void refreshModel(queries, key)
    void queries.invalidateQueries({ queryKey: ['history'] })
    void refreshSite()
  }
  const titled = (sentence: string) => titledSentence(sentence, { models, nounOf: noun })
  /** The first of what the history did not have, and how much more there is. */
  const missing = ([first, ...others]: readonly string[]) =>
    first === undefined ? undefined : later.history.andMore(titled(first), others.length)
  const reasonOf = (error: unknown) => titled(errorMessage(error, text.errors))

  return {
    one: async (model, id) => {
      const notice = toasts.running(later.history.restoring)
      try {
        const { notices, consequences } = await session.run((client) => client.model(model.key).restore(id))
        refresh(new Set([model.key, ...consequences.map((each) => each.model)]))
        notice.done(later.history.restored, missing(notices))
        await navigate({ to: '/models/$model/$id', params: { model: model.key, id: String(id) } })
        focusContent()
      } catch (error) {
        notice.failed(later.history.notRestored, reasonOf(error))
      }
    },
    all: async (model, records, say) => {
      const names = new Map(records.map((record) => [record.id, nameOf(record, model)]))
      const total = records.length
      say(later.history.restoringOf(0, total))
      const restoration = await restoreRecords(session, model.key, [...names.keys()], (tried) =>
        say(later.history.restoringOf(tried, total)),
      )
      refresh(restoration.models)
      const { restored, refused, notices } = restoration
      const [first] = refused
      if (first === undefined) return { message: later.history.restoredCount(total), detail: missing(notices), isWhole: true }
      const [id, error] = first
      const reason = reasonOf(error)
      const own = `${noun(model)} #${id}: `
      const refusal = later.history.refusal(names.get(id) ?? `#${id}`, reason.startsWith(own) ? reason.slice(own.length) : reason)
      const message = restored === 0 ? later.history.notRestored : later.history.restoredOf(restored, total)
      return { message, detail: later.history.andMore(refusal, refused.size - 1), isWhole: false }
    },
  }
}
