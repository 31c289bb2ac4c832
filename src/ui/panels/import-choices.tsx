import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import type { FileFormat, SiteModel } from '../../client/client.ts'
import { FILE_FORMATS } from '../data/administration.ts'
import { may } from '../data/site.ts'
import { type FormView, formTitle, settableFields } from '../data/views.ts'
import { SelectField } from '../parts/field.tsx'
import { useText } from '../text/text.tsx'
import { DELIMITER_CHOICES, type Delimiter, type ImportChoices } from './import-options.ts'

interface ImportChoicesProps {
  readonly model: SiteModel
  readonly forms: readonly FormView[]
  readonly choices: ImportChoices
  readonly isDisabled: boolean
  readonly onChange: (choices: ImportChoices) => void
}

/** Chooses how a file is read, and what its records are checked by. */
export function ImportChoicesForm({ model, forms, choices, isDisabled, onChange }: ImportChoicesProps) {
  const {
    import: text,
    form: { mainForm: main },
  } = useText()
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
            ...DELIMITER_CHOICES.map((value) => ({ value, label: text.delimiters[value] })),
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
          options={[
            { value: '', label: text.noForm },
            ...usable.map((form) => ({ value: form.name, label: formTitle(form, model) ?? main })),
          ]}
          isDisabled={isDisabled}
          onChange={(form) => change({ form: form || undefined })}
        />
      )}
    </div>
  )
}

interface FileChooserProps {
  /** Name of the file that is chosen. */
  readonly name: string | undefined
  readonly isDisabled: boolean
  readonly onChoose: (file: File) => void
}

/** Takes a file by the dialog of the system, or dropped on it. */
export function FileChooser({ name, isDisabled, onChoose }: FileChooserProps) {
  const text = useText().import
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined && !isDisabled) onChoose(file)
  }
  return (
    <label
      className="file-chooser"
      data-over={isOver || undefined}
      htmlFor={id}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileUp size={20} aria-hidden />
      <span className="file-chooser-name">{name ?? text.choose}</span>
      <span className="file-chooser-note">{name === undefined ? text.formats : text.chooseOther}</span>
      <input
        id={id}
        type="file"
        className="visually-hidden"
        accept=".csv,.json,.ndjson,.jsonl,.tsv"
        disabled={isDisabled}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          // The same file may be chosen again after it was changed.
          event.target.value = ''
          if (file !== undefined) onChoose(file)
        }}
      />
    </label>
  )
}
