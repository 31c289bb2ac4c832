import type { Site, SiteField, SiteModel } from '../../client/client.ts'
import { modelOf } from '../data/site.ts'

/** Something that a column can be. */
interface ColumnChoice {
  /** As `map.columns` has it: a field, or a relation and the field that names its records. */
  readonly value: string
  readonly label: string
}

/** Texts of choices. */
interface ChoiceTexts {
  readonly required: (label: string) => string
  /** A relation by a field of its records. */
  readonly by: (relation: string, field: string) => string
}

/** The fields that an import can set. */
export const importableFields = (model: SiteModel): readonly SiteField[] => model.fields.filter((field) => !field.readonly)

/** What the columns of a file can be: fields, and for relations also the unique fields of their records. Labels that two fields share have the name, too. */
export function columnChoices(model: SiteModel, site: Site, text: ChoiceTexts): readonly ColumnChoice[] {
  const id = model.fields.filter(({ type }) => type === 'primarykey')
  return [...importableFields(model), ...id.filter((field) => field.readonly)].flatMap((field) => {
    const label = distinctLabel(field, model)
    const target = field.relation === null ? undefined : modelOf(site, field.relation.model)
    const naming = (target?.fields ?? []).filter(
      ({ name, type, unique }) => (unique || type === 'primarykey') && name !== target?.display_field,
    )
    return [
      { value: field.name, label: isAskedFor(field) ? text.required(label) : label },
      ...naming.map((by) => ({ value: `${field.name}.${by.name}`, label: text.by(label, by.label) })),
    ]
  })
}

/** The label of a field, with the name where two fields have the same label. */
export const distinctLabel = ({ name, label }: SiteField, { fields }: SiteModel): string =>
  fields.some((other) => other.name !== name && other.label === label) ? `${label} (${name})` : label

/** True for a field that each new record needs, and that has no default. */
export const isAskedFor = (field: SiteField): boolean => field.required && !field.readonly && field.default === undefined

/** The head of a template: the fields that an import can set, without files, which a table cannot hold. */
export const templateFields = (model: SiteModel): readonly SiteField[] =>
  importableFields(model).filter(({ type }) => type !== 'file' && type !== 'image')

/** Tells whether a name at the head of a column is that of a field, as far as the page knows. */
export function knownNames(model: SiteModel): (name: string) => boolean {
  const names = new Set(model.fields.flatMap(({ name, label }) => [name.toLowerCase(), label.toLowerCase()]))
  return (name) => names.has(name.toLowerCase())
}
