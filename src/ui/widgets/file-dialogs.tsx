import { Download } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { type FileEntry, fileOf } from '../cells/file-values.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField } from '../parts/field.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'
import { useLocalPicture } from './use-uploads.ts'

interface FilePreviewProps {
  readonly entry: FileEntry
  readonly onClose: () => void
}

/** An image, a sound or a film, as large as the window allows. */
export function FilePreview({ entry, onClose }: FilePreviewProps) {
  const text = useText().files
  const { name, alt, upload } = entry
  const file = fileOf(entry)
  const local = useLocalPicture(upload?.file)
  const type = file?.type ?? ''
  const src = local ?? file?.url
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={name}
      shape="wide"
      actions={
        file?.url !== undefined && (
          <a className="button" href={`${file.url}?download=true`} download>
            <Download size={14} aria-hidden />
            {text.download}
          </a>
        )
      }
    >
      <div className="file-preview">
        {type.startsWith('video/') ? (
          // biome-ignore lint/a11y/useMediaCaption: the file is what users have uploaded.
          <video controls src={src} />
        ) : type.startsWith('audio/') ? (
          // biome-ignore lint/a11y/useMediaCaption: the file is what users have uploaded.
          <audio controls src={src} />
        ) : (
          src !== undefined && <img src={src} alt={alt ?? name} />
        )}
      </div>
    </Dialog>
  )
}

interface FileDetailsProps {
  readonly entry: FileEntry
  readonly isImage: boolean
  readonly onClose: () => void
  readonly onSave: (name: string, alt: string | null) => void
}

/** The name of a file, and the alternative text of an image. */
export function FileDetails({ entry, isImage, onClose, onSave }: FileDetailsProps) {
  const { files: text, common, list } = useText()
  const [name, setName] = useState(entry.name)
  const [alt, setAlt] = useState(entry.alt ?? '')
  const [wasTried, setTried] = useState(false)
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The form around the input is another one.
    event.stopPropagation()
    setTried(true)
    if (name.trim() !== '') onSave(name.trim(), alt.trim() === '' ? null : alt.trim())
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isImage ? text.details : text.rename}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={id}>
            {list.apply}
          </Button>
        </>
      }
    >
      <form id={id} className="stack" noValidate onSubmit={submit}>
        <LabelledField label={text.name} errors={wasTried && name.trim() === '' ? [text.noName] : []}>
          {(links) => (
            <input
              {...links}
              className="input"
              type="text"
              maxLength={255}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </LabelledField>
        {isImage && (
          <LabelledField label={text.alt} help={text.altHelp}>
            {(links) => (
              <textarea
                {...links}
                className="input textarea"
                rows={2}
                value={alt}
                onChange={(event) => setAlt(event.target.value)}
              />
            )}
          </LabelledField>
        )}
      </form>
    </Dialog>
  )
}
