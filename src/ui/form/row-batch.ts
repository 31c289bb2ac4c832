import type { QueryClient } from '@tanstack/react-query'
import { AdminError, type FieldErrors, type RelatedRows, type Site, type SiteModel, type Versioned } from '../../client/client.ts'
import type { PageSession } from '../data/page-session.ts'
import { type AnyRecord, refreshModel } from '../data/records.ts'
import { relationOf, rowsQuery, type StoredRow } from '../data/row-query.ts'
import { modelOf } from '../data/site.ts'
import { type FormView, labelIn, sortedViews, underForm, viewsQuery } from '../data/views.ts'
import { laterTextIn } from '../text/later.ts'
import { hasConditions, readyConditions, selfOf } from './conditions.ts'
import { type Problems, problemsOf, type RowProblem } from './problems.ts'
import { formOfRow, NEW, orderedKeys, type RowForms, rowForms, rowValues, settableIn, unparsedIn } from './row-forms.ts'
import { type FormRows, type RowDraft, tableDraft } from './use-rows.ts'
import { changedFields, createdValues, type FormValues, sentValues } from './values.ts'

/** How the record of a form is stored with its rows. */
export interface RecordWrite {
  readonly model: SiteModel
  readonly form: FormView
  /** Undefined for a new record. */
  readonly id: number | undefined
  /** What is set; typed texts that are no values are kept back. */
  readonly data: FormValues
  readonly if_match?: string
  /** False if the form does not accept the data, which was tried apart from it. */
  readonly isFormed?: boolean
}

interface RowsParts {
  readonly session: PageSession
  readonly queries: QueryClient
  readonly site: Site
  readonly rows: FormRows
  readonly language: string
}

/** What came of it: the record as it is stored, or what kept it and its rows from being stored. */
type RowsOutcome =
  | { readonly stored: Versioned<AnyRecord>; readonly problems?: undefined }
  | { readonly stored?: undefined; readonly problems: Problems }

/** An operation of the request. */
interface Operation {
  readonly method: 'create' | 'update' | 'delete'
  readonly model: string
  readonly id?: number
  readonly data?: FormValues
  readonly form_id?: string
  readonly if_match?: string
  readonly ref?: string
}

/** What an operation is about: a row, or the record of the form. */
interface Subject {
  readonly operation: Operation
  readonly row?: { readonly forms: RowForms; readonly key: string; readonly draft: RowDraft }
  /** True if others have changed or deleted the row, which its table says. */
  isContested?: boolean
}

/** The name by which new rows refer to a new record. */
const PARENT = 'record'

/**
 * Stores a record with its rows in one transaction: all or nothing.
 *
 * @throws {AdminError} of type `precondition` if the record has changed since
 */
export async function storeWithRows(parts: RowsParts, write: RecordWrite): Promise<RowsOutcome> {
  const { session, queries, rows } = parts
  const { model, form, id } = write
  const titleOf = (name: string) => labelIn(form, model, name)
  const tables = await Promise.all((form.related ?? []).map((view) => formsOf(parts, view)))
  const subjects = [...parentSubjects(write)]
  const faults = new Map<Subject, FieldErrors>()
  for (const forms of tables) {
    for (const [key, draft] of forms === undefined ? [] : [...tableDraft(rows, forms.view.field).rows]) {
      if (forms === undefined || !draft.isChanged) continue
      const { operation, unparsed } = await operationOf(forms, draft, id)
      if (operation === undefined) continue
      const subject = { operation, row: { forms, key, draft } }
      subjects.push(subject)
      if (unparsed.length > 0) faults.set(subject, Object.fromEntries(unparsed.map((name) => [name, []])))
    }
  }
  const ownUnparsed = unparsedIn(write.data)
  const dryRun = ownUnparsed.length > 0 || faults.size > 0
  const operations = subjects.map(({ operation }) => operation)
  const send = () =>
    session.run((client) => client.batch(operations as Parameters<typeof client.batch>[0], { etags: !dryRun, dryRun }))
  try {
    const answer = await send()
    if (!dryRun) {
      const stored = { data: answer.data as readonly AnyRecord[], etags: answer.etags ?? [] }
      const parent = await storedParent(parts, write, subjects, stored)
      keepStored(parts, write, subjects, stored, parent)
      return { stored: parent }
    }
    const own = Object.fromEntries(ownUnparsed.map((name) => [name, []]))
    return { problems: reported(parts, write, subjects, undefined, own, faults) }
  } catch (error) {
    if (!(error instanceof AdminError) || Object.keys(error.fieldErrors).length === 0)
      return { problems: reported(parts, write, subjects, error, {}, faults) }
    let own: FieldErrors = Object.fromEntries(ownUnparsed.map((name) => [name, []]))
    for (const [index, subject] of subjects.entries()) {
      const errors = error.errorsOf(index)
      if (Object.keys(errors).length === 0) continue
      const part = new AdminError(Object.values(errors).flat().join('; '), { ...error, fieldErrors: errors })
      if (subject.row !== undefined) {
        const { forms, draft } = subject.row
        const named = part.titled((name) => labelIn(formOfRow(forms, draft), forms.model, name)).fieldErrors
        faults.set(subject, { ...named, ...faults.get(subject) })
        if (subject.operation.method === 'create' || !('if_match' in errors || 'id' in errors)) continue
        // The table shows what others have made of the row.
        const { changed, gone } = laterTextIn(parts.language).rows
        subject.isContested = true
        faults.set(subject, { '': ['if_match' in errors ? changed : gone] })
        void refreshModel(queries, forms.model.key)
      } else if ('if_match' in errors || (id !== undefined && 'id' in errors)) {
        throw new AdminError(part.message, { type: 'precondition', status: 412 })
      } else own = { ...problemsOf(part, titleOf).fields, ...own }
    }
    return { problems: reported(parts, write, subjects, error, own, faults) }
  }
}

/** The forms of the rows of a table; undefined for a model that the user may not view. */
async function formsOf({ session, queries, site }: RowsParts, view: RelatedRows): Promise<RowForms | undefined> {
  const model = modelOf(site, relationOf(view).key)
  if (model === undefined) return undefined
  const views = await queries.ensureQueryData(viewsQuery(session, model.key))
  return rowForms(view, model, sortedViews(views), site.user.is_superuser)
}

/** The operation of the record of the form; none if nothing of it changes. */
function parentSubjects({ model, form, id, data, if_match, isFormed = true }: RecordWrite): readonly Subject[] {
  const unparsed = unparsedIn(data)
  const parsed = Object.fromEntries(Object.entries(data).filter(([name]) => !unparsed.includes(name)))
  const under = isFormed ? underForm(form) : {}
  if (id === undefined) return [{ operation: { method: 'create', model: model.key, data: parsed, ...under, ref: PARENT } }]
  if (Object.keys(data).length === 0) return []
  const version = if_match === undefined ? {} : { if_match }
  return [{ operation: { method: 'update', model: model.key, id, data: parsed, ...under, ...version } }]
}

/** The operation that stores a draft; undefined if there is nothing to store. */
async function operationOf(
  forms: RowForms,
  draft: RowDraft,
  parent: number | undefined,
): Promise<{ readonly operation: Operation | undefined; readonly unparsed: readonly string[] }> {
  const { model, relation } = forms
  const { base, isRemoved, start, edits } = draft
  const form = formOfRow(forms, draft)
  if (isRemoved) {
    const operation = base && { method: 'delete' as const, model: model.key, id: base.record.id, if_match: base.etag }
    return { operation, unparsed: [] }
  }
  if (form === undefined) return { operation: undefined, unparsed: [] }
  const conditions = hasConditions(form) ? await readyConditions(form) : undefined
  const hidden = conditions?.(selfOf(model, base?.record, { ...start, ...edits }))
  const names = settableIn(forms, draft).filter((name) => hidden?.has(name) !== true)
  const values =
    base === undefined ? createdValues(names, rowValues(draft), edits) : changedFields(model, names, base.record, edits)
  const unparsed = unparsedIn(values)
  const data = sentValues(model, Object.fromEntries(Object.entries(values).filter(([name]) => !unparsed.includes(name))))
  if (base === undefined) {
    const reference = parent ?? { $ref: PARENT }
    const operation = {
      method: 'create' as const,
      model: model.key,
      data: { ...data, [relation]: reference },
      ...underForm(form),
    }
    return { operation, unparsed }
  }
  if (Object.keys(values).length === 0) return { operation: undefined, unparsed }
  const operation = {
    method: 'update' as const,
    model: model.key,
    id: base.record.id,
    data,
    if_match: base.etag,
    ...underForm(form),
  }
  return { operation, unparsed }
}

/** What the API answered, in the order of the operations. */
interface StoredBatch {
  readonly data: readonly AnyRecord[]
  readonly etags: readonly (string | null)[]
}

/** The record of the form as it is now. Rows may have changed it without an operation of its own, by code of the project. */
async function storedParent(
  { session }: RowsParts,
  { model, id }: RecordWrite,
  subjects: readonly Subject[],
  { data, etags }: StoredBatch,
): Promise<Versioned<AnyRecord>> {
  const [record] = data
  if (subjects[0]?.row === undefined && record !== undefined) return { data: record, etag: etags[0] ?? '' }
  return session.run((client) => client.model(model.key).read(id ?? 0))
}

/** Shows the stored rows in the place of their drafts. What was typed meanwhile stays to be saved. */
function keepStored(
  { session, queries, site, rows }: RowsParts,
  { form }: RecordWrite,
  subjects: readonly Subject[],
  { data, etags }: StoredBatch,
  parent: Versioned<AnyRecord>,
): void {
  for (const view of form.related ?? []) {
    const own = subjects.flatMap(({ row, operation }, index) =>
      row?.forms.view.field === view.field ? [{ ...row, operation, record: data[index], etag: etags[index] ?? '' }] : [],
    )
    const model = own[0]?.forms.model
    if (model === undefined) continue
    const stored = new Map<string, StoredRow>()
    const gone = new Set<string>()
    for (const { key, draft, operation, record, etag } of own) {
      if (operation.method === 'delete') gone.add(key)
      else if (record !== undefined) stored.set(key, { record, etag, can: draft.base?.can ?? ['change', 'delete'] })
    }
    queries.setQueryData(rowsQuery(session, site, model, view, parent.data.id).queryKey, (former) => {
      if (former === undefined) return undefined
      const kept = former.rows.filter(({ record }) => !gone.has(String(record.id)))
      const changed = kept.map((row) => stored.get(String(row.record.id)) ?? row)
      const added = [...stored].flatMap(([key, row]) => (key.startsWith(NEW) ? [row] : []))
      return { rows: [...changed, ...added], total: former.total - gone.size + added.length }
    })
    rows.change(view.field, (former) => {
      const left = [...former.rows].flatMap(([key, draft]): [string, RowDraft][] => {
        const sent = own.find((each) => each.key === key)
        if (sent === undefined) return draft.isChanged ? [[key, draft]] : []
        const base = stored.get(key)
        if (draft === sent.draft || base === undefined) return []
        return [[String(base.record.id), { ...draft, base, start: {}, errors: {} }]]
      })
      const order = former.order?.flatMap((key) => (gone.has(key) ? [] : [String(stored.get(key)?.record.id ?? key)]))
      const named = [...stored].flatMap(([key, { record }]): [string, string][] =>
        key.startsWith(NEW) ? [[String(record.id), key]] : [],
      )
      return { rows: new Map(left), order, formerKeys: new Map([...(former.formerKeys ?? []), ...named]) }
    })
    void refreshModel(queries, model.key)
  }
}

/** Puts the messages at their rows, and lists them. The first faulty row opens if the record itself has no fault. */
function reported(
  { session, queries, site, rows }: RowsParts,
  { form, id }: RecordWrite,
  subjects: readonly Subject[],
  error: unknown,
  fields: FieldErrors,
  faults: ReadonlyMap<Subject, FieldErrors>,
): Problems {
  const problems = subjects.flatMap((subject): RowProblem[] => {
    const [errors, row] = [faults.get(subject), subject.row]
    if (errors === undefined || row === undefined) return []
    const { model, view } = row.forms
    const { field } = view
    const known = queries.getQueryData(rowsQuery(session, site, model, view, id).queryKey)?.rows ?? []
    const place = orderedKeys(known, tableDraft(rows, field)).indexOf(row.key) + 1
    const [column] = Object.keys(errors)
    const unparsed = unparsedIn(row.draft.edits)
    return [
      {
        key: `${field} ${row.key}`,
        title: `${view.title ?? model.label} ${place}`,
        fields: new Set([...Object.keys(errors), ...unparsed]).size,
        messages: Object.values(errors).flat(),
        unparsed: unparsed.map((name) => row.draft.edits[name]),
        open: () => rows.activate({ field, key: row.key, column }),
        isSettled: (now) =>
          subject.isContested === true && tableDraft(now, field).rows.get(row.key)?.base?.etag !== row.draft.base?.etag,
      },
    ]
  })
  for (const { field } of form.related ?? []) {
    const errorsOf = (key: string) => {
      const subject = subjects.find(({ row }) => row?.forms.view.field === field && row.key === key)
      return (subject?.isContested !== true && subject && faults.get(subject)) || {}
    }
    rows.change(field, (former) => ({
      ...former,
      rows: new Map([...former.rows].map(([key, draft]) => [key, { ...draft, errors: errorsOf(key) }])),
    }))
  }
  if (Object.keys(fields).length === 0) problems[0]?.open()
  return { error, fields, rows: problems }
}
