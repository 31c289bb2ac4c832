import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  AdminError,
  type AnyModel,
  type BulkSelection,
  type FieldErrors,
  type SiteModel,
  type SiteModelAction,
} from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { fieldOf } from '../data/site.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { useToasts } from '../parts/toast.tsx'
import type { Text } from '../text/en.ts'
import { errorMessage } from '../text/error-message.ts'
import { useText } from '../text/text.tsx'
import type { FormValues } from './values.ts'

const ActionDialog = lazyPart(() => import('./action-dialog.tsx').then((module) => module.ActionDialog))

/** What actions are performed on. */
export interface ActionTarget {
  readonly model: SiteModel
  /** An id, ids, or filters; null for an action without records. */
  readonly records: number | readonly number[] | BulkSelection<AnyModel> | null
  readonly count: number
  /** Called after an action was performed, before the records of the model are read again. */
  readonly onDone?: (() => void | Promise<void>) | undefined
}

interface Acting {
  /** Performs an action, after its dialog if it has a question or an input. */
  readonly start: (action: SiteModelAction) => void
  /** The action that is being performed without a dialog. */
  readonly running: SiteModelAction | undefined
  readonly dialog: ReactNode
}

/** Performs actions on records, and says what they answer. */
export function useActing({ model, records, count, onDone }: ActionTarget): Acting {
  const text = useText()
  const session = useSession()
  const queries = useQueryClient()
  const toasts = useToasts()
  const [asked, setAsked] = useState<SiteModelAction>()
  const [running, setRunning] = useState<SiteModelAction>()

  const send = async (action: SiteModelAction, input: FormValues, dryRun: boolean) => {
    try {
      return await session.run((client) => client.model(model.key).action(action.name, records, input, { dryRun }))
    } catch (error) {
      // Others may have changed the records.
      if (error instanceof AdminError && error.type === 'conflict') void refreshModel(queries, model.key)
      throw placed(error, model, records, text.modelActions)
    }
  }
  const perform = async (action: SiteModelAction, input: FormValues) => {
    const { message, total } = await send(action, input, false)
    const isUsual = message === usualMessage(action, total)
    toasts.done(isUsual ? text.modelActions.done(action.title, total) : message)
    await onDone?.()
    void refreshModel(queries, model.key)
  }
  const start = (action: SiteModelAction) => {
    if (running !== undefined) return
    if (action.confirm !== null || action.input.length > 0) {
      setAsked(action)
      return
    }
    setRunning(action)
    perform(action, {})
      .catch((error: unknown) => toasts.failed(text.modelActions.failed(action.title), errorMessage(error, text.errors)))
      .finally(() => setRunning(undefined))
  }
  const dialog = asked !== undefined && (
    <LoadedPopup onFail={() => setAsked(undefined)}>
      <ActionDialog
        model={model}
        action={asked}
        count={count}
        perform={(input) => perform(asked, input)}
        dryRun={(input) => send(asked, input, true)}
        onClose={() => setAsked(undefined)}
      />
    </LoadedPopup>
  )
  return { start, running, dialog }
}

/** The message of an action that has none of its own. */
const usualMessage = ({ title }: SiteModelAction, total: number): string =>
  `${title}: ${total} ${total === 1 ? 'record' : 'records'}`

/** The error of an action whose messages stand at the inputs by their names; those of records follow their ids. */
function placed(error: unknown, model: SiteModel, records: ActionTarget['records'], text: Text['modelActions']): unknown {
  if (!(error instanceof AdminError)) return error
  const { type, status, summary, retryAfter, requestId } = error
  const rest = { type, status, summary, retryAfter, requestId, cause: error }
  const [, ids, more = '0'] = /with (?:ID|the IDs) ([\d, ]+?)(?: and (\d+) more)?; nothing was changed$/.exec(error.message) ?? []
  if (ids !== undefined) return new AdminError(text.refused(ids, Number(more)), rest)
  const fieldErrors: Record<string, readonly string[]> = {}
  const add = (key: string, messages: readonly string[]) => {
    fieldErrors[key] = [...(fieldErrors[key] ?? []), ...messages]
  }
  const labelOf = (name: string) => fieldOf(model, name)?.label ?? name
  const found: FieldErrors = error.titled(labelOf).fieldErrors
  for (const [key, messages] of Object.entries(found)) {
    const [, input] = /^input\.(.+)$/.exec(key) ?? []
    const [, place] = /^(\d+)\./.exec(key) ?? []
    // The records are named by their places in a list of ids, and by id otherwise.
    const id = Array.isArray(records) ? records[Number(place)] : place
    add(input ?? (place === undefined ? labelOf(key) : `#${id}`), messages)
  }
  return new AdminError(error.message, { ...rest, fieldErrors })
}
