import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { titleOf } from '../views/generate.ts'
import { type Cell, MAX_CELLS } from './csv-records.ts'

/** A column of a CSV file. */
export interface Column {
  /** Name of the field, or the text of the header if there is no such field. */
  readonly name: string
  readonly field: Field | undefined
}

/** The labels of a model's fields, for headers that people write. A label that two fields share names neither. */
export function labelsOf(model: Model): ReadonlyMap<string, Field> {
  const labels = new Map<string, Field>()
  const shared = new Set<string>()
  for (const field of model.fields.values()) {
    const label = field.label ?? titleOf(field.name)
    if (labels.has(label)) shared.add(label)
    labels.set(label, field)
  }
  for (const label of shared) labels.delete(label)
  return labels
}

/**
 * The columns that a header names, by the names or the labels of fields.
 *
 * @throws {AppError} INVALID_REQUEST for too many columns, and for two of the same field
 */
export function columnsOf(cells: readonly Cell[], model: Model, labels: ReadonlyMap<string, Field>): readonly Column[] {
  if (cells.length > MAX_CELLS) throw new AppError('INVALID_REQUEST', `A CSV file must not have more than ${MAX_CELLS} columns`)
  const texts = new Map<string, string>()
  return cells.map((cell) => {
    const text = cell ?? ''
    const field = model.fields.get(text) ?? labels.get(text.trim())
    const name = field?.name ?? text
    const former = texts.get(name)
    if (former !== undefined) throw new AppError('INVALID_REQUEST', twice(former, text, name))
    texts.set(name, text)
    return { name, field }
  })
}

const twice = (one: string, other: string, name: string): string =>
  one === other ? `The column '${one}' occurs twice` : `The columns '${one}' and '${other}' both are the field '${name}'`
