import type { Site, SiteField, SiteModel } from '../../client/client.ts'
import { choicesOf, plainView } from '../cells/choices.ts'
import type { Group } from '../data/boards.ts'
import type { AnyRecord } from '../data/records.ts'
import type { Related } from '../data/related.ts'
import { type FieldView, type FormView, underForm } from '../data/views.ts'
import { editableFields } from './selection.ts'
import type { Move } from './use-moves.ts'

/** A column of a board: records with one value of a field. */
export interface BoardColumn {
  /** The value as text; empty for records without one. */
  readonly key: string
  readonly value: string | number | boolean | null
  /** Undefined for a related record that the user may not view, and for no value. */
  readonly label: string | undefined
  readonly color: string | undefined
  /** The group of the records that match the filters; undefined if there is none. */
  readonly group: Group | undefined
}

/** The id of the text that says which keys a card has. */
export const KEYS_ID = 'board-keys'

/** Columns that a board shows. */
export const MAX_COLUMNS = 50

/** The key of the column that has a record, by the value of the field. */
export const columnKey = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/**
 * The columns of a board: the choices in their order, also without records, and after them values that are none; or the related records that
 * occur, by name. The last one is for records without a value, where the field may have none.
 *
 * @param groups the values that occur
 * @param names the related records; undefined for choices
 */
export function boardColumns(
  field: SiteField,
  view: FieldView | undefined,
  groups: readonly Group[],
  names: readonly Related[] | undefined,
  locale: string,
): readonly BoardColumn[] {
  const groupOf = (key: string) => groups.find(({ value }) => columnKey(value) === key)
  const none: BoardColumn = { key: '', value: null, label: undefined, color: undefined, group: groupOf('') }
  const ends = field.required && none.group === undefined ? [] : [none]
  const offered =
    field.relation === null
      ? choicesOf(view ?? plainView(field), field).map(
          ({ key, value, label, color }): BoardColumn => ({ key, value, label, color, group: groupOf(key) }),
        )
      : []
  const others = groups.flatMap((group): BoardColumn[] => {
    const key = columnKey(group.value)
    if (key === '' || offered.some((each) => each.key === key)) return []
    const label = names === undefined ? key : names.find(({ id }) => id === group.value)?.label
    return [{ key, value: group.value, label, color: undefined, group }]
  })
  const named = (column: BoardColumn) => column.label ?? `#${column.key}`
  others.sort((one, other) => named(one).localeCompare(named(other), locale, { numeric: true }))
  return [...offered, ...others.slice(0, Math.max(MAX_COLUMNS - offered.length, 0)), ...ends]
}

/** Whether records can be moved between columns, and into which. */
export interface BoardMoves {
  readonly form: FormView | undefined
  readonly canTake: (column: BoardColumn) => boolean
}

/** The moves that a form accepts from the user: none without the form, or if it does not accept the field; only its own choices. */
export function boardMoves(model: SiteModel, field: SiteField, form: FormView | undefined, { user }: Site): BoardMoves {
  if (form === undefined || !editableFields(form, model, user.is_superuser).includes(field.name))
    return { form: undefined, canTake: () => false }
  const view = form.fields.find(({ name }) => name === field.name)
  const isRequired = field.required || ('form_id' in underForm(form) && view?.required === true)
  const offered =
    field.relation === null && view !== undefined ? new Set(choicesOf(view, field).map(({ key }) => key)) : undefined
  return { form, canTake: ({ key }) => (key === '' ? !isRequired : offered?.has(key) !== false) }
}

/** The filter of the records of a column, as the API takes it. */
export const columnFilter = ({ name }: SiteField, { key }: BoardColumn): string =>
  key === '' ? `${name}__isnull=true` : `${name}=${key}`

/** The records of a column while some are moved, with the values that they get: those that come stand first. @param name of the field of the columns */
export function shownRecords(
  records: readonly AnyRecord[],
  key: string,
  name: string,
  pending: ReadonlyMap<number, Move>,
): readonly AnyRecord[] {
  const isHere = (move: Move) => columnKey(move.values[name]) === key
  const staying = records.flatMap((record) => {
    const move = pending.get(record.id)
    if (move === undefined) return [record]
    return isHere(move) ? [{ ...record, ...move.values }] : []
  })
  const coming = [...pending.values()].filter((move) => isHere(move) && !records.some(({ id }) => id === move.record.id))
  return [...coming.map(({ record, values }) => ({ ...record, ...values })), ...staying]
}
