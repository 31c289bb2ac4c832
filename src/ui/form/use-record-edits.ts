import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type SiteModel, type Versioned } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { type AnyRecord, recordQuery, refreshModel } from '../data/records.ts'
import { may, useSite, useSiteRefresh } from '../data/site.ts'
import { type FormView, labelIn, RIGHTS, underForm, writableFields } from '../data/views.ts'
import type { Undo } from '../panels/use-undo-notice.ts'
import { useLanguage, useText } from '../text/text.tsx'
import { useHidden } from './form-fields.tsx'
import {
  cancelUploads,
  hasUploads,
  releaseUploads,
  unsentFiles,
  unsentProblems,
  uploadsEnded,
  useLatestEdits,
} from './pending-files.ts'
import { hasUnparsed, type Problems, problemsOf, unparsedProblems } from './problems.ts'
import { changedRights, NO_RIGHTS, type Rights, rightIn } from './use-rights.ts'
import { type FormRows, useFormRows } from './use-rows.ts'
import { changedFields, type FormValues, formerValues, sentValues } from './values.ts'
import { type Difference, differencesOf, hasChanged, mergedEdits, type Side } from './versions.ts'

/** A version that someone else has stored, while this form has edits of an older one. */
export interface Conflict {
  readonly theirs: Versioned<AnyRecord>
  readonly differences: readonly Difference[]
}

/** Changes that are stored. */
export interface Saved {
  /**
   * Puts the former values back, unless the record has changed since. Undefined for a model without history, for secrets, and where nothing changed.
   *
   * @throws {AdminError}
   */
  readonly undo: Undo | undefined
}

/** The state of a form that edits a record. */
export interface RecordEdits {
  /** The version that the edits began with. */
  readonly base: AnyRecord
  readonly etag: string
  readonly edits: FormValues
  /** The rights that the page shows apart from the form, with their edits. */
  readonly rights: FormValues
  /** Sets a field of the form, or a right. */
  readonly setValue: (name: string, value: unknown) => void
  readonly setValues: (values: FormValues) => void
  /** Names of the fields of the form that the user may set. */
  readonly writable: readonly string[]
  readonly hidden: ReadonlySet<string>
  /** The rows of other models that the form edits. */
  readonly rows: FormRows
  readonly problems: Problems | undefined
  readonly isDirty: boolean
  readonly isBusy: boolean
  /** True while changes are sent; not while their uploads are waited for, which can still be cancelled. */
  readonly isLocked: boolean
  /** True if the record was changed elsewhere, and the form, which had no edits, shows the new version. */
  readonly wasRefreshed: boolean
  /** True if the record was changed elsewhere while the form has edits. */
  readonly isOutdated: boolean
  readonly conflict: Conflict | undefined
  readonly compare: () => void
  readonly closeConflict: () => void
  /** Takes the chosen sides, and saves as `save` does; with `isSaving` false nothing is sent */
  readonly resolve: (sides: Readonly<Record<string, Side>>, isSaving: boolean) => Promise<Saved | undefined>
  /** Resolves once the changes are stored, or undefined if they are not. */
  readonly save: () => Promise<Saved | undefined>
  readonly discard: () => void
  /** Reads the record again after this page has changed it outside of the form. Edits stay. */
  readonly reload: () => Promise<void>
}

/**
 * Keeps the edits of a record apart from the record, so that a newer version replaces what was not edited and nothing typed is lost.
 *
 * @param latest the newest version that the page knows
 * @param onDeleted called when the record turns out to be deleted
 * @param rights the rights that the page shows apart from the form, saved with it
 */
export function useRecordEdits(
  model: SiteModel,
  form: FormView,
  latest: Versioned<AnyRecord>,
  onDeleted: () => void,
  rights: Rights = NO_RIGHTS,
): RecordEdits {
  const session = useSession()
  const queries = useQueryClient()
  const site = useSite()
  const { user } = site
  const rows = useFormRows(form)
  const { files: text } = useText()
  const refreshSite = useSiteRefresh()
  const language = useLanguage()
  const [base, setBase] = useState(latest)
  const [edits, setEdits] = useState<FormValues>({})
  const [problems, setProblems] = useState<Problems>()
  const [isBusy, setBusy] = useState(false)
  const [wasRefreshed, setRefreshed] = useState(false)
  const [theirs, setTheirs] = useState<Versioned<AnyRecord>>()
  const [isWaiting, setWaiting] = useState(false)
  const latestEdits = useLatestEdits(edits)
  const accepted = may(model, 'change') ? writableFields(form, 'update', model, user.is_superuser) : []
  const writable = accepted.filter((name) => !rights.names.includes(name))
  const shownRights = Object.fromEntries(rights.names.map((name) => [name, rightIn(base.data, name, rights.edits[name])]))
  const unseen = useHidden(form, model, base.data, rights.names.length === 0 ? edits : { ...edits, ...shownRights })
  const hidden = rights.names.length === 0 ? unseen : new Set([...unseen, ...rights.names])
  const sent = writable.filter((name) => !hidden.has(name))
  const titleOf = (name: string) => labelIn(form, model, name)
  const isTyped = Object.keys(changedFields(model, writable, base.data, edits)).length > 0
  const isDirty = isTyped || rows.isDirty || Object.keys(changedRights(base.data, rights.edits)).length > 0

  const isStale = latest.etag !== base.etag && !isBusy
  const isChanged = isStale && hasChanged(model, base.data, latest.data)
  if (isStale && (!isTyped || !isChanged)) {
    setBase(latest)
    setEdits(isTyped ? edits : {})
    setRefreshed(isChanged)
  }

  /** Shows a version that this page has stored. */
  const show = async (stored: Versioned<AnyRecord>): Promise<void> => {
    const { queryKey } = recordQuery(session, model.key, stored.data.id)
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, stored)
    setBase(stored)
  }

  /** Reads again what stored changes may have changed elsewhere in the page. */
  const refresh = (changes: FormValues): void => {
    const isOwnRight = model.key === 'user' && base.data.id === user.id && RIGHTS.user?.some((name) => name in changes)
    // The user may no longer see the lists.
    void (isOwnRight ? refreshSite() : refreshModel(queries, model.key))
  }

  /** Stores changes in one request, so that all are stored or none. Rights that the form does not accept go beside it once it has accepted the rest. */
  const write = async (changes: FormValues, if_match: string): Promise<Versioned<AnyRecord>> => {
    const { id } = base.data
    const { formed, isFormed } = partsOf(changes)
    const under = { ...underForm(form), if_match }
    return session.run(async (client) => {
      const records = client.model(model.key)
      if (!isFormed && Object.keys(formed).length > 0 && form.generated !== true)
        await records.update(id, formed, { ...under, dryRun: true })
      return records.update(id, changes, isFormed ? under : { if_match })
    })
  }

  /** Stores changes and rows in one request. */
  const writeRows = async (changes: FormValues, if_match: string) => {
    const { storeWithRows } = await import('./row-batch.ts')
    const { id } = base.data
    const { formed, isFormed } = partsOf(changes)
    if (!isFormed && Object.keys(formed).length > 0 && form.generated !== true)
      await session.run((client) => client.model(model.key).update(id, formed, { ...underForm(form), if_match, dryRun: true }))
    const written = { model, form, id, data: changes, if_match, isFormed }
    return storeWithRows({ session, queries, site, rows, language }, written)
  }

  /** The changes that the form accepts, and whether these are all. */
  const partsOf = (changes: FormValues) => {
    const formed = Object.fromEntries(Object.entries(changes).filter(([name]) => accepted.includes(name)))
    return { formed, isFormed: Object.keys(formed).length === Object.keys(changes).length }
  }

  /** Edits whose uploads have ended: these, or what the user has made of them meanwhile. */
  const settled = async (values: FormValues): Promise<FormValues> => {
    if (!hasUploads(values)) return values
    setWaiting(true)
    await uploadsEnded(latestEdits)
    setWaiting(false)
    return latestEdits()
  }

  const store = async (from: Versioned<AnyRecord>, given: FormValues, isAgain = false): Promise<Saved | undefined> => {
    if (isBusy && !isAgain) return undefined
    setBusy(true)
    setProblems(undefined)
    const values = await settled(given)
    const data = sentValues(model, changedFields(model, sent, from.data, values))
    const changes = { ...data, ...changedRights(from.data, rights.edits) }
    try {
      // The edits were discarded while uploads were waited for.
      if (values !== given && Object.keys(changes).length === 0 && !rows.isDirty) return undefined
      const unsent = unsentFiles(values)
      if (unsent.size > 0) {
        setProblems({ error: undefined, fields: unsentProblems(unsent, text) })
        return undefined
      }
      if (!rows.isDirty && hasUnparsed(data)) {
        const dryRun = (parsed: FormValues) =>
          session.run((client) => client.model(model.key).update(from.data.id, parsed, { ...underForm(form), dryRun: true }))
        setProblems(await unparsedProblems(data, dryRun, titleOf))
        return undefined
      }
      const withRows = rows.isDirty ? await writeRows(changes, from.etag) : undefined
      if (withRows?.problems !== undefined) {
        setProblems(withRows.problems)
        return undefined
      }
      const isSame = Object.keys(changes).length === 0
      const stored = withRows?.stored ?? (isSame ? from : await write(changes, from.etag))
      releaseUploads(values)
      await show(stored)
      // What was typed while the request was under way is still to be saved.
      setEdits((now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => !Object.is(value, values[name]))))
      rights.forget(rights.edits)
      setRefreshed(false)
      setTheirs(undefined)
      refresh(changes)
      const former = model.history ? formerValues(model, Object.keys(changes), from.data) : undefined
      if (former === undefined || withRows !== undefined) return { undo: undefined }
      const undo: Undo = async () => {
        setBusy(true)
        try {
          await show(await write(former, stored.etag))
          setRefreshed(false)
          refresh(former)
        } finally {
          setBusy(false)
        }
      }
      return { undo }
    } catch (error) {
      if (!(error instanceof AdminError) || error.type !== 'precondition') {
        setProblems(problemsOf(error, titleOf, Object.keys(changes)))
        return undefined
      }
      const newer = await readAgain()
      // Groups and permissions of two people are merged without a question, beside fields that only one of them has changed.
      const isMerged = rights.names.length > 0 || Object.keys(data).length === 0
      const differences = newer && differencesOf(model, Object.keys(data), from.data, values, newer.data)
      if (newer !== undefined && isMerged && !isAgain && differences?.every(({ isContested }) => !isContested) === true) {
        await show(newer)
        return store(newer, values, true)
      }
      setTheirs(newer)
      return undefined
    } finally {
      setBusy(false)
    }
  }

  /** The version that someone else has stored; undefined if it cannot be read. */
  const readAgain = async (): Promise<Versioned<AnyRecord> | undefined> => {
    try {
      return await session.run((client) => client.model(model.key).read(base.data.id))
    } catch (failure) {
      if (failure instanceof AdminError && failure.type === 'not_found') onDeleted()
      else setProblems(problemsOf(failure, titleOf))
      return undefined
    }
  }

  const reload = async (): Promise<void> => {
    setBusy(true)
    try {
      const { queryKey } = recordQuery(session, model.key, base.data.id)
      const fresh = await session.run((client) => client.model(model.key).read(base.data.id))
      await queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, fresh)
      // An edited field that has another stored value now is left to the comparison of versions.
      if (differencesOf(model, Object.keys(edits), base.data, edits, fresh.data).every(({ isContested }) => !isContested)) {
        // What was typed and taken back must not undo the change.
        setEdits((now) => changedFields(model, Object.keys(now), base.data, now))
        setBase(fresh)
        setRefreshed(false)
      }
    } catch {
      // The page reads the record with the next change.
    } finally {
      setBusy(false)
    }
  }

  const setValues = (values: FormValues): void => {
    const ofForm = Object.entries(values).filter(([name]) => !rights.names.includes(name))
    setEdits((former) => ({ ...former, ...Object.fromEntries(ofForm) }))
    for (const name of rights.names) if (name in values) rights.set(base.data, name, values[name])
  }

  const differences = theirs === undefined ? [] : differencesOf(model, sent, base.data, edits, theirs.data)
  return {
    base: base.data,
    etag: base.etag,
    edits,
    rights: shownRights,
    setValue: (name, value) => {
      setRefreshed(false)
      setValues({ [name]: value })
    },
    setValues,
    writable,
    hidden,
    rows,
    problems,
    isDirty,
    isBusy,
    isLocked: isBusy && !isWaiting,
    wasRefreshed,
    isOutdated: isChanged && isTyped,
    conflict: theirs === undefined ? undefined : { theirs, differences },
    compare: () => setTheirs(latest),
    closeConflict: () => setTheirs(undefined),
    resolve: async (sides, isSaving) => {
      if (theirs === undefined) return undefined
      const merged = mergedEdits(edits, differences, sides)
      setBase(theirs)
      setEdits(merged)
      queries.setQueryData(recordQuery(session, model.key, theirs.data.id).queryKey, theirs)
      setTheirs(undefined)
      return isSaving ? store(theirs, merged) : undefined
    },
    save: () => store(base, edits),
    discard: () => {
      cancelUploads(edits)
      setEdits({})
      rows.forget()
      rights.forget(rights.edits)
      setProblems(undefined)
    },
    reload,
  }
}
