import { FileUp } from 'lucide-react'
import { type DragEvent, useId, useState } from 'react'
import { useText } from '../../text/text.tsx'

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
