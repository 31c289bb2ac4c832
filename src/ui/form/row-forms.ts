import type { RelatedRows, SiteField, SiteModel } from '../../client/client.ts'
import { relationOf, type StoredRow } from '../data/row-query.ts'
import { fieldOf } from '../data/site.ts'
import { type FieldView, type FormView, formFor, type ModelViews, writableFields } from '../data/views.ts'
import { takesFiles } from '../widgets/file-fields.ts'
import { type WidgetKind, widgetKind } from '../widgets/kind.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import type { RowDraft, TableDraft } from './use-rows.ts'
import { changedFields, type FormValues, startValues } from './values.ts'

/** How the rows of a table are written. */
export interface RowForms {
  readonly view: RelatedRows
  readonly model: SiteModel
  /** The field that refers to the record of the form. */
  readonly relation: string
  /** Undefined if no form creates rows that refer to the record. */
  readonly create: FormView | undefined
  readonly update: FormView | undefined
  /** Names of the fields that the user may set, but for the relation and files, which need a page of their own. */
  readonly creatable: readonly string[]
  readonly changeable: readonly string[]
  /** The integer that the rows are sorted by, if the user may change it: such rows can be moved. */
  readonly position: string | undefined
}

/** Finds the forms of the rows of a table. */
export function rowForms(view: RelatedRows, model: SiteModel, { forms }: ModelViews, isSuperuser: boolean): RowForms {
  const relation = relationOf(view).name
  const named = forms.find(({ name }) => name === view.form)
  const create = named ?? formFor(forms, 'create')
  const update = named ?? formFor(forms, 'update')
  const isOwn = (name: string) => {
    const field = fieldOf(model, name)
    return name !== relation && field !== undefined && !takesFiles(field) && field.type !== 'password'
  }
  const accepted = create === undefined ? [] : writableFields(create, 'create', model, isSuperuser)
  const changeable = update === undefined ? [] : writableFields(update, 'update', model, isSuperuser).filter(isOwn)
  const first = view.sort?.[0]
  const isPosition = first?.order === 'asc' && fieldOf(model, first.field)?.type === 'integer' && changeable.includes(first.field)
  return {
    view,
    model,
    relation,
    create: accepted.includes(relation) ? create : undefined,
    update,
    creatable: accepted.filter(isOwn),
    changeable,
    position: isPosition ? first.field : undefined,
  }
}

/** The form of a row: the one that creates a new one, the one that changes a stored one. */
export const formOfRow = ({ create, update }: RowForms, { base }: Pick<RowDraft, 'base'>): FormView | undefined =>
  base === undefined ? create : update

/** Names of the fields of a row that the user may set. */
export const settableIn = (forms: RowForms, { base }: Pick<RowDraft, 'base'>): readonly string[] =>
  base === undefined ? forms.creatable : base.can.includes('change') ? forms.changeable : []

/** The values of a row as the user sees them. */
export const rowValues = ({ base, start, edits }: RowDraft): FormValues => ({ ...(base?.record ?? start), ...edits })

/** The draft of a stored row without edits. */
export const untouched = (base: StoredRow): RowDraft => ({
  base,
  start: {},
  edits: {},
  isRemoved: false,
  isChanged: false,
  errors: {},
})

/** A draft after a change; whether it has to be stored is found out anew. */
export function changedDraft(forms: RowForms, former: RowDraft, change: Partial<RowDraft>): RowDraft {
  const draft = { ...former, ...change }
  return { ...draft, isChanged: isToStore(forms, draft) }
}

function isToStore({ model, create, creatable, changeable }: RowForms, draft: RowDraft): boolean {
  const { base, start, edits, isRemoved } = draft
  if (base !== undefined) return isRemoved || Object.keys(changedFields(model, changeable, base.record, edits)).length > 0
  if (Object.keys(edits).length > 0) return true
  // A new row in which nothing was typed counts only if its defaults are enough.
  const isRequired = (name: string) =>
    fieldOf(model, name)?.required === true || create?.fields.some((each) => each.name === name && each.required) === true
  return creatable.every((name) => !isRequired(name) || (start[name] ?? null) !== null)
}

/** A new row. @param given values beside the defaults, such as its position or those of a copied row */
export function newDraft(forms: RowForms, userId: number | null, given: FormValues, edits: FormValues = {}): RowDraft {
  const defaults = forms.create === undefined ? {} : startValues(forms.create.fields, forms.model, userId, new Date())
  const known = Object.entries({ ...defaults, ...given }).filter(([name]) => forms.creatable.includes(name))
  const draft = { base: undefined, start: Object.fromEntries(known), edits, isRemoved: false, isChanged: false, errors: {} }
  return changedDraft(forms, draft, {})
}

/** Names of the values of a row that are typed texts and no values. */
export const unparsedIn = (values: FormValues): readonly string[] =>
  Object.keys(values).filter((name) => values[name] instanceof Unparsed)

/** The beginning of the keys of new rows. */
export const NEW = '+'

/** The keys of all rows of a table, in the order that it shows them: stored ones, those that were deleted elsewhere, new ones. */
export function orderedKeys(stored: readonly StoredRow[], { rows, order }: TableDraft): readonly string[] {
  const keys = [...new Set([...stored.map(({ record }) => String(record.id)), ...rows.keys()])]
  if (order === undefined) return keys
  const placeOf = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length)
  return keys.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** Kinds of inputs that fit into a cell. */
const IN_PLACE: ReadonlySet<WidgetKind> = new Set([
  ...(['line', 'number', 'switch', 'select', 'suggest', 'date', 'time', 'datetime', 'relation', 'color'] as const),
])

/** True if a field is edited in its cell; others are in the drawer of the row. */
export function isEditedInPlace({ creatable, changeable }: RowForms, field: SiteField, view: FieldView | undefined): boolean {
  if (view === undefined || !(creatable.includes(field.name) || changeable.includes(field.name))) return false
  return IN_PLACE.has(widgetKind(view, field))
}
