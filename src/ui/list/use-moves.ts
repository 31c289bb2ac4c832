import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { AdminError, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { nameOf } from '../data/related.ts'
import { fieldOf } from '../data/site.ts'
import { type FormView, labelIn, underForm } from '../data/views.ts'
import { type FormValues, formerValues, isSameContent, valueIn } from '../form/values.ts'
import { useUndoNotice } from '../panels/use-undo-notice.ts'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'

/** A record that is shown where it was moved to, until the server has stored it or refused to. */
export interface Move {
  readonly record: AnyRecord
  /** The values that it gets. */
  readonly values: FormValues
}

/** What moves records. */
export interface Moves {
  /** The moves under way, by the ids of their records. */
  readonly pending: ReadonlyMap<number, Move>
  /** A record as its moves under way leave it, also those that no render has seen. */
  readonly asMoved: (record: AnyRecord) => AnyRecord
  /** Moves a record, after its moves under way. @param said what the notice says once it is stored */
  readonly move: (record: AnyRecord, values: FormValues, said: string) => Promise<boolean>
}

/**
 * Changes fields of records through a form, which show at once. What the server refuses goes back with a message. A record that others have
 * changed in these fields stays as it is; no other change is written over either. A record that is moved again while it is being stored is
 * stored once more after that, unless it is refused.
 */
export function useMoves(model: SiteModel, form: FormView | undefined): Moves {
  const text = useText()
  const { layouts: later, history } = useLaterText()
  const session = useSession()
  const queries = useQueryClient()
  const say = useUndoNotice()
  const toasts = useToasts()
  const [pending, setPending] = useState<ReadonlyMap<number, Move>>(new Map())
  /** The last move of each record under way, with the values of those before it. */
  const last = useRef(new Map<number, { readonly values: FormValues; readonly isStored: Promise<boolean> }>())
  const asMoved = (record: AnyRecord): AnyRecord => ({ ...record, ...last.current.get(record.id)?.values })

  const reasonOf = (error: unknown): string => {
    if (!(error instanceof AdminError)) return errorMessage(error, text.errors)
    if (error.type === 'precondition') return history.changedSince
    const { fieldErrors } = error.titled((name) => labelIn(form, model, name))
    const messages = Object.values(fieldErrors).flat().map(text.errors.fromServer)
    return messages.length > 0 ? messages.join('; ') : errorMessage(error, text.errors)
  }

  const move = async (record: AnyRecord, values: FormValues, said: string): Promise<boolean> => {
    const { id } = record
    if (form === undefined) return false
    const before = last.current.get(id)
    const from = asMoved(record)
    const all = { ...before?.values, ...values }
    setPending((former) => new Map(former).set(id, { record: from, values: all }))
    const stored = async () => (await before?.isStored) !== false && store(form, from, values, said)
    const own = { values: all, isStored: stored() }
    last.current.set(id, own)
    try {
      return await own.isStored
    } finally {
      if (last.current.get(id) === own) {
        last.current.delete(id)
        setPending((former) => new Map([...former].filter(([each]) => each !== id)))
      }
    }
  }

  const store = async (within: FormView, record: AnyRecord, values: FormValues, said: string): Promise<boolean> => {
    const { id } = record
    const names = Object.keys(values)
    const put = (data: FormValues, if_match: string) =>
      session.run((client) => client.model(model.key).update(id, data, { ...underForm(within), if_match }))
    try {
      const { signal } = new AbortController()
      const read = await session.read(signal, (client) => client.model(model.key).read(id, { signal }))
      const isMoved = names.some((name) => {
        const field = fieldOf(model, name)
        return field !== undefined && !isSameContent(field, valueIn(read.data, field), valueIn(record, field))
      })
      if (isMoved) throw new AdminError(history.changedSince, { type: 'precondition', status: 412 })
      const changed = await put(values, read.etag)
      await refreshModel(queries, model.key)
      const former = model.history ? formerValues(model, names, read.data) : undefined
      const undo = async () => {
        if (former !== undefined) await put(former, changed.etag)
        await refreshModel(queries, model.key)
        return undefined
      }
      say(said, former && undo)
      return true
    } catch (error) {
      toasts.failed(later.notMoved(nameOf(record, model)), reasonOf(error))
      await refreshModel(queries, model.key)
      return false
    }
  }
  return { pending, asMoved, move }
}
