import type { ImportPreview, SiteModel } from '../../client/client.ts'
import { fieldOf, may, useSite } from '../data/site.ts'
import { type FormView, formTitle, settableFields } from '../data/views.ts'
import { LabelledField, SelectField } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { Notice } from '../parts/states.tsx'
import { DataTable } from '../parts/table.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { columnChoices, isAskedFor } from './import-fields.ts'
import type { RecordChoices } from './import-options.ts'
import { DATE_EXAMPLES, fieldNameOf, NUMBER_EXAMPLES, type ShownMap } from './shown-map.ts'

interface RecordChoicesProps {
  readonly model: SiteModel
  readonly forms: readonly FormView[]
  readonly choices: RecordChoices
  readonly onChange: (choices: RecordChoices) => void
}

/** Chooses what becomes of the records of a file, and what they are checked by. */
export function RecordChoicesForm({ model, forms, choices, onChange }: RecordChoicesProps) {
  const text = useLaterText().import
  const { mainForm } = useText().form
  const unique = may(model, 'change') ? model.fields.filter((field) => field.unique) : []
  const usable = forms.filter((form) => form.generated !== true && settableFields(form, 'create').length > 0)
  const change = (part: Partial<RecordChoices>) => onChange({ ...choices, ...part })
  return (
    <div className="import-choices">
      {unique.length > 0 && (
        <SelectField
          label={text.upsertBy}
          help={choices.upsertBy === undefined ? undefined : text.upsertHelp}
          value={choices.upsertBy ?? ''}
          options={[
            { value: '', label: text.createOnly },
            ...unique.map(({ name, label }) => ({ value: name, label: text.sameField(label) })),
          ]}
          onChange={(field) => change({ upsertBy: field || undefined })}
        />
      )}
      {usable.length > 0 && (
        <SelectField
          label={text.form}
          help={choices.form === undefined ? undefined : text.formHelp}
          value={choices.form ?? ''}
          options={[
            { value: '', label: text.noForm },
            ...usable.map((form) => ({ value: form.name, label: formTitle(form, model) ?? mainForm })),
          ]}
          onChange={(form) => change({ form: form || undefined })}
        />
      )}
    </div>
  )
}

interface FormatFieldsProps {
  readonly model: SiteModel
  readonly map: ShownMap
  readonly answer: ImportPreview
  readonly onChange: (formats: { readonly dates?: string | undefined; readonly numbers?: string | undefined }) => void
}

const DATE_TYPES: ReadonlySet<string> = new Set(['date', 'datetime'])
const NUMBER_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'decimal'])

/** Says how the file writes days and numbers, where it has some. What can be read in two ways must be chosen. */
export function FormatFields({ model, map, answer, onChange }: FormatFieldsProps) {
  const text = useLaterText().import
  const types = new Set(map.columns.map(({ field }) => fieldOf(model, fieldNameOf(field))?.type ?? ''))
  const has = (wanted: ReadonlySet<string>) => [...types].some((type) => wanted.has(type))
  const field = (name: 'dates' | 'numbers', examples: Readonly<Record<string, string>>) => {
    const found = answer.map[name]
    const isOpen = answer.ambiguous.includes(name)
    const example = found === undefined ? undefined : (examples[found] ?? found)
    const options = Object.entries(examples).map(([value, label]) => ({ value, label }))
    const detected = { value: '', label: isOpen ? text.chooseFormat : text.detected(example) }
    return (
      <LabelledField
        label={text.formatsOf[name]}
        errors={isOpen ? [text.ambiguous[name]] : []}
        help={name === 'dates' && types.has('datetime') ? text.timeZone(answer.map.time_zone ?? 'UTC') : undefined}
      >
        {(links) => (
          <Select
            links={links}
            value={map[name] ?? ''}
            options={[detected, ...options]}
            onChange={(value) => onChange({ [name]: value || undefined })}
          />
        )}
      </LabelledField>
    )
  }
  if (!has(DATE_TYPES) && !has(NUMBER_TYPES)) return null
  return (
    <div className="import-choices">
      {has(DATE_TYPES) && field('dates', DATE_EXAMPLES)}
      {has(NUMBER_TYPES) && field('numbers', NUMBER_EXAMPLES)}
    </div>
  )
}

interface ColumnTableProps {
  readonly model: SiteModel
  readonly map: ShownMap
  /** @param field null to leave the column out */
  readonly onChange: (header: string, field: string | null) => void
}

/** Samples of a column that are shown. */
const SAMPLES = 3

/** The columns of the file with the fields that they become. */
export function ColumnTable({ model, map, onChange }: ColumnTableProps) {
  const text = useLaterText().import
  const site = useSite()
  const choices = columnChoices(model, site, text)
  return (
    <DataTable label={text.columnsTitle} columns={[text.columnInFile, text.samples, text.field]} shape="stacks">
      {map.columns.map(({ header, field, samples }) => (
        <tr key={header} className="import-column" data-out={field === null || undefined}>
          <th scope="row" className="import-header">
            {header}
          </th>
          <td className="import-samples" data-label={text.samples}>
            {samples.length === 0 ? text.noSamples : samples.slice(0, SAMPLES).join(' · ')}
          </td>
          <td className="import-target">
            <Select
              links={{ 'aria-label': text.fieldOf(header) }}
              value={field ?? ''}
              options={[{ value: '', label: text.leaveOut }, ...choices]}
              onChange={(value) => onChange(header, value || null)}
            />
          </td>
        </tr>
      ))}
    </DataTable>
  )
}

/** Names the fields that new records need and that no column has. */
export function MissingFields({ model, map }: { readonly model: SiteModel; readonly map: ShownMap }) {
  const text = useLaterText().import
  const taken = new Set(map.columns.map(({ field }) => fieldNameOf(field)))
  const missing = model.fields.filter((field) => isAskedFor(field) && !taken.has(field.name))
  if (missing.length === 0) return null
  const labels = missing.map(({ label }) => label).join(', ')
  return <Notice kind="warning">{text.missing(missing.length, labels)}</Notice>
}
