import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { fileNameOf, saveFile } from '../data/save-file.ts'
import { may } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField, SelectField } from '../parts/field.tsx'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { DELIMITER_NAMES } from './csv-text.ts'
import type { ImportContent, ReadingChoices } from './file-content.ts'
import { distinctLabel, templateFields } from './import-fields.ts'
import { csvFile, type FileKind } from './import-options.ts'
import { TEXT_ENCODINGS, type TextEncoding } from './text-encodings.ts'

interface FileChooserProps {
  /** Name of the file that is chosen. */
  readonly name: string | undefined
  readonly onChoose: (file: File) => void
}

/** Takes a file by the dialog of the system, or dropped on it. */
export function FileChooser({ name, onChoose }: FileChooserProps) {
  const text = useLaterText().import
  const id = useId()
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) onChoose(file)
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
        accept=".csv,.txt,.tsv,.xlsx,.json,.ndjson,.jsonl"
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

interface PastedCellsProps {
  readonly value: string
  readonly onChange: (cells: string) => void
}

/** Takes cells that were copied in a spreadsheet. */
export function PastedCells({ value, onChange }: PastedCellsProps) {
  const text = useLaterText().import
  return (
    <LabelledField label={text.paste} help={text.pasteHelp}>
      {(links) => (
        <textarea
          {...links}
          className="input mono pasted-cells"
          rows={4}
          wrap="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </LabelledField>
  )
}

/** Kinds of files whose contents are text. */
const TEXT_KINDS: readonly { readonly value: FileKind; readonly label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'NDJSON' },
]

/** Stands for a delimiter that is typed. */
const OTHER = 'other'

interface ReadingFormProps {
  readonly choices: ReadingChoices
  readonly isPasted: boolean
  readonly found: ImportContent['found']
  readonly onChange: (choices: ReadingChoices) => void
}

/** Chooses how a file is read, where it was not found rightly. */
export function ReadingForm({ choices, isPasted, found, onChange }: ReadingFormProps) {
  const text = useLaterText().import
  const { kind, delimiter, encoding } = choices
  const [isOther, setOther] = useState(false)
  const change = (part: Partial<ReadingChoices>) => onChange({ ...choices, ...part })
  const delimiterLabel = (value: string) => (text.delimiters as Readonly<Record<string, string>>)[value] ?? value
  if (kind === 'xlsx') {
    const { sheets = [], sheet = '' } = found
    if (sheets.length < 2) return null
    return (
      <div className="import-choices">
        <SelectField
          label={text.sheet}
          value={sheet}
          options={sheets.map((name) => ({ value: name, label: name }))}
          onChange={(name) => change({ sheet: name })}
        />
      </div>
    )
  }
  return (
    <div className="import-choices">
      {!isPasted && (
        <SelectField
          label={text.format}
          value={kind}
          options={TEXT_KINDS}
          onChange={(value) => change({ kind: value as FileKind })}
        />
      )}
      {kind === 'csv' && (
        <SelectField
          label={text.delimiter}
          value={isOther ? OTHER : (delimiter ?? '')}
          options={[
            {
              value: '',
              label: text.detected(found.delimiter === undefined ? undefined : delimiterLabel(found.delimiter)),
            },
            ...[...DELIMITER_NAMES, OTHER].map((value) => ({ value, label: delimiterLabel(value) })),
          ]}
          onChange={(value) => {
            setOther(value === OTHER)
            change({ delimiter: value === '' || value === OTHER ? undefined : value })
          }}
        />
      )}
      {kind === 'csv' && isOther && (
        <LabelledField label={text.otherDelimiter}>
          {(links) => (
            <input
              {...links}
              className="input mono"
              maxLength={1}
              value={delimiter ?? ''}
              // A quote and a line break are no delimiters.
              onChange={({ target: { value } }) => change({ delimiter: /^["\r\n]?$/.test(value) ? undefined : value })}
            />
          )}
        </LabelledField>
      )}
      {kind === 'csv' && !isPasted && (
        <SelectField
          label={text.encoding}
          value={encoding ?? ''}
          options={[
            { value: '', label: text.detected(found.encoding === undefined ? undefined : text.encodings[found.encoding]) },
            ...TEXT_ENCODINGS.map((value) => ({ value, label: text.encodings[value] })),
          ]}
          onChange={(value) => change({ encoding: value === '' ? undefined : (value as TextEncoding) })}
        />
      )}
    </div>
  )
}

/** Downloads a file with the head that an import of the model understands. */
export function TemplateButtons({ model }: { readonly model: SiteModel }) {
  const { errors } = useText()
  const text = useLaterText().import
  const locale = useLocale()
  const session = useSession()
  const toasts = useToasts()
  const [isBusy, setBusy] = useState(false)
  const fields = templateFields(model)
  const name = text.templateName(model.label)
  const saveCsv = () => {
    const head = fields.map((field) => distinctLabel(field, model))
    saveFile(new Blob([csvFile([head], locale)], { type: 'text/csv' }), fileNameOf(name, 'csv'))
  }
  // An export without records is a workbook with the head alone.
  const saveWorkbook = async () => {
    setBusy(true)
    try {
      const query = { format: 'xlsx', labels: true, fields: fields.map((field) => field.name), filters: ['id=0'] } as const
      const blob = await session.run(async (client) => (await client.model(model.key).export(query)).blob())
      saveFile(blob, fileNameOf(name, 'xlsx'))
    } catch (error) {
      toasts.failed(text.templateFailed, errorMessage(error, errors))
    }
    setBusy(false)
  }
  return (
    <div className="import-template">
      <span className="muted">{text.template}</span>
      <Button onClick={saveCsv}>{text.templateCsv}</Button>
      {may(model, 'view') && (
        <Button isBusy={isBusy} onClick={() => void saveWorkbook()}>
          {text.templateWorkbook}
        </Button>
      )}
    </div>
  )
}
