import type { FileFormat, SiteModel } from '../../../client/client.ts'
import { FILE_FORMATS } from '../../data/file-formats.ts'
import { may } from '../../data/site.ts'
import { type FormView, settableFields } from '../../data/views.ts'
import { SelectField } from '../../parts/select-field.tsx'
import { useText } from '../../text/text.tsx'
import { DELIMITERS, type Delimiter, type ImportChoices } from './import-options.ts'

interface ImportChoicesProps {
  readonly model: SiteModel
  readonly forms: readonly FormView[]
  readonly choices: ImportChoices
  readonly isDisabled: boolean
  readonly onChange: (choices: ImportChoices) => void
}

/** Chooses how a file is read, and what its records are checked by. */
export function ImportChoicesForm({ model, forms, choices, isDisabled, onChange }: ImportChoicesProps) {
  const text = useText().import
  const unique = may(model, 'change') ? model.fields.filter((field) => field.unique) : []
  const usable = forms.filter((form) => form.generated !== true && settableFields(form, 'create').length > 0)
  const change = (part: Partial<ImportChoices>) => onChange({ ...choices, ...part })
  return (
    <div className="import-choices">
      <SelectField
        label={text.format}
        value={choices.format}
        options={FILE_FORMATS}
        isDisabled={isDisabled}
        onChange={(format) => change({ format: format as FileFormat })}
      />
      {choices.format === 'csv' && (
        <SelectField
          label={text.delimiter}
          value={choices.delimiter ?? ''}
          options={[
            { value: '', label: text.delimiterFound },
            ...DELIMITERS.map((value) => ({ value, label: text.delimiters[value] })),
          ]}
          isDisabled={isDisabled}
          onChange={(delimiter) => change({ delimiter: delimiter === '' ? undefined : (delimiter as Delimiter) })}
        />
      )}
      {unique.length > 0 && (
        <SelectField
          label={text.upsertBy}
          help={choices.upsertBy === undefined ? undefined : text.upsertHelp}
          value={choices.upsertBy ?? ''}
          options={[
            { value: '', label: text.createOnly },
            ...unique.map(({ name, label }) => ({ value: name, label: text.sameField(label) })),
          ]}
          isDisabled={isDisabled}
          onChange={(field) => change({ upsertBy: field || undefined })}
        />
      )}
      {usable.length > 0 && (
        <SelectField
          label={text.form}
          help={choices.form === undefined ? undefined : text.formHelp}
          value={choices.form ?? ''}
          options={[{ value: '', label: text.noForm }, ...usable.map(({ name }) => ({ value: name, label: name }))]}
          isDisabled={isDisabled}
          onChange={(form) => change({ form: form || undefined })}
        />
      )}
    </div>
  )
}
