import { Upload as UploadIcon, X } from 'lucide-react'
import { type ChangeEvent, type ClipboardEvent, type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSession } from '../data/page-session.ts'
import { useSite } from '../data/site.ts'
import { IconButton } from '../parts/button.tsx'
import '../styles/files.css'
import { type FileEntry, fileEntries } from '../cells/file-values.ts'
import { formatList, formatSize } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { FileDetails, FilePreview } from './file-dialogs.tsx'
import { movedEntry, renamedEntry, uploadEntry, valueOfEntries, withEntries, withoutEntry } from './file-entries.ts'
import { FileItem } from './file-item.tsx'
import { type FileLimits, type FileRefusal, fileLimits, fileRefusal, kindName } from './file-rules.ts'
import { FileUploads } from './file-uploads.ts'
import { useFileOrder } from './use-file-order.ts'
import { useUploadStates } from './use-uploads.ts'
import type { InputProps } from './widget-props.ts'

/** A file that is not sent. */
interface Refused {
  readonly key: number
  readonly name: string
  readonly message: string
}

/** The open dialog. */
interface Opened {
  readonly kind: 'preview' | 'details'
  readonly key: string
}

/** Files of a field: chosen, dropped or pasted, sent at once, and part of the record once it is saved. */
export function FilesInput({ field, model, modelField, value, onChange, links }: InputProps) {
  const { files: text, common, errors } = useText()
  const locale = useLocale()
  const { limits: site } = useSite()
  const session = useSession()
  const root = useRef<HTMLFieldSetElement>(null)
  const limits = fileLimits(field, modelField, site.upload_bytes)
  const { isList, isImage, maxFiles } = limits
  const entries = fileEntries(value)
  const [uploads] = useState(
    () =>
      new FileUploads(
        // A refusal for now is waited out: what was not stored may be sent again.
        (files, { signal, onProgress }) =>
          session.read(signal, (client) => client.model(model.key).upload(modelField.name, files, { signal, onProgress })),
        (id) => void session.run((client) => client.request(`/files/uploads/${id}`, { method: 'DELETE' })).catch(() => {}),
      ),
  )
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [said, setSaid] = useState('')
  const [opened, setOpened] = useState<Opened>()
  const [focused, setFocused] = useState<{ readonly key: string | undefined }>()
  const { done, failed, isPending } = useUploadStates(entries)

  const sayEnd = useEffectEvent(() => {
    if (done + failed > 0) setSaid(text.ended(done, failed))
  })
  useEffect(() => {
    if (!isPending) sayEnd()
  }, [isPending])

  // The control that had the focus has gone: the file in its place gets it, otherwise the button that adds files.
  useEffect(() => {
    if (focused === undefined) return
    const item = focused.key === undefined ? undefined : `[data-file="${CSS.escape(focused.key)}"] .file-menu`
    const next =
      (item && root.current?.querySelector<HTMLElement>(item)) || root.current?.querySelector<HTMLElement>('.files-choose input')
    // The menu gives the focus back when it has closed.
    const timer = setTimeout(() => next?.focus(), 0)
    return () => clearTimeout(timer)
  }, [focused])

  const change = (next: readonly FileEntry[]) => onChange(valueOfEntries(next, isList))
  const room = isList ? maxFiles - entries.length : 1

  const add = (chosen: readonly File[]) => {
    if (chosen.length === 0) return
    const judged = chosen.map((file) => ({ file, refusal: fileRefusal(file, limits) }))
    const fitting = judged.flatMap(({ file, refusal }) => (refusal === undefined ? [file] : []))
    const sent = fitting.slice(0, Math.max(room, 0))
    const faults: readonly { readonly file: File; readonly refusal: FileRefusal }[] = [
      ...judged.flatMap(({ file, refusal }) => (refusal === undefined ? [] : [{ file, refusal }])),
      ...fitting.slice(sent.length).map((file) => ({ file, refusal: { kind: 'count' } as const })),
    ]
    const start = Date.now()
    setRefused(faults.map(({ file, refusal }, index) => ({ key: start + index, name: file.name, message: reasonOf(refusal) })))
    if (sent.length === 0) return
    if (!isList) for (const { upload } of entries) upload?.cancel()
    change(withEntries(entries, uploads.add(sent).map(uploadEntry), isList))
  }

  const reasonOf = (refusal: FileRefusal): string => {
    if (refusal.kind === 'size') return text.tooLarge(formatSize(limits.maxSize, locale))
    if (refusal.kind === 'count') return text.tooMany(maxFiles)
    return text.wrongType(acceptedText(limits, text.kinds, locale), refusal.type)
  }

  const move = (from: number, to: number) => {
    const moved = movedEntry(entries, from, to)
    if (moved === entries) return
    change(moved)
    setSaid(text.moved(moved[to]?.name ?? '', to + 1, moved.length))
  }
  const order = useFileOrder(root, move)

  const remove = ({ key, name, upload }: FileEntry) => {
    upload?.cancel()
    const { entries: rest, neighbour } = withoutEntry(entries, key)
    change(rest)
    setSaid(text.removed(name))
    setFocused({ key: neighbour })
  }

  const { isOver, zone } = useDropZone(add)
  const { id, 'aria-label': label, ...attributes } = links
  const openedEntry = entries.find(({ key }) => key === opened?.key)
  const hints = [
    ...(limits.accept === undefined ? [] : [acceptedText(limits, text.kinds, locale)]),
    text.upTo(formatSize(limits.maxSize, locale)),
  ].join(', ')
  return (
    <fieldset
      ref={root}
      className="files"
      aria-label={label}
      aria-labelledby={label === undefined && id !== undefined ? `${id}-label` : undefined}
      data-over={isOver || undefined}
      data-pictures={isImage || undefined}
      {...zone}
    >
      {entries.length > 0 && (
        <ul className="files-list">
          {entries.map((entry, place) => (
            <FileItem
              key={entry.key}
              {...{ entry, place, isImage, order }}
              count={entries.length}
              fieldName={modelField.name}
              onOpen={() => setOpened({ kind: 'preview', key: entry.key })}
              onDetails={() => setOpened({ kind: 'details', key: entry.key })}
              onMove={(by) => move(place, place + by)}
              onRemove={() => remove(entry)}
            />
          ))}
        </ul>
      )}
      {room > 0 ? (
        <label className="files-choose" data-small={entries.length > 0 || undefined}>
          <UploadIcon size={entries.length > 0 ? 16 : 20} strokeWidth={1.5} aria-hidden />
          <span className="files-choose-text">
            <span className="files-choose-name">
              {!isList && entries.length > 0 ? text.replace : text.choose(isImage, isList)}
            </span>{' '}
            <span className="files-or">{text.orDrop}</span>
            <span className="files-limits">{hints.charAt(0).toUpperCase() + hints.slice(1)}</span>
          </span>
          <input
            {...attributes}
            id={id}
            type="file"
            multiple={isList}
            accept={limits.accept?.join(',')}
            onChange={(event: ChangeEvent<HTMLInputElement>) => {
              const chosen = [...(event.target.files ?? [])]
              // The same file may be chosen again.
              event.target.value = ''
              add(chosen)
            }}
          />
        </label>
      ) : (
        <p className="field-help">{text.atMost(maxFiles)}</p>
      )}
      {refused.length > 0 && (
        <div role="alert">
          <ul className="files-refused">
            {refused.map(({ key, name, message }) => (
              <li key={key}>
                <span>
                  <strong>{name}</strong> {errors.fromServer(message)}
                </span>
                <IconButton
                  label={`${common.close}: ${name}`}
                  icon={<X size={14} aria-hidden />}
                  onClick={() => {
                    setRefused(refused.filter((each) => each.key !== key))
                    setFocused({ key: undefined })
                  }}
                />
              </li>
            ))}
          </ul>
        </div>
      )}
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {openedEntry !== undefined && opened?.kind === 'preview' && (
        <FilePreview entry={openedEntry} onClose={() => setOpened(undefined)} />
      )}
      {openedEntry !== undefined && opened?.kind === 'details' && (
        <FileDetails
          entry={openedEntry}
          isImage={isImage}
          onClose={() => setOpened(undefined)}
          onSave={(name, alt) => {
            change(renamedEntry(entries, openedEntry.key, name, alt))
            setOpened(undefined)
          }}
        />
      )}
    </fieldset>
  )
}

/** The accepted types as users name them: "PNG or PDF". */
function acceptedText({ accept = [] }: FileLimits, kinds: Readonly<Record<string, string>>, locale: string): string {
  const names = accept.map((type) => (type.endsWith('/*') ? (kinds[type.slice(0, -2)] ?? type) : kindName(type)))
  return formatList([...new Set(names)], locale)
}

/** Takes files that are dropped on an element, or pasted while the focus is in it. A file that is dropped beside it opens no page. */
function useDropZone(onFiles: (files: readonly File[]) => void) {
  const [depth, setDepth] = useState(0)
  const take = useEffectEvent(onFiles)
  useEffect(() => {
    const keep = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    // Where nothing has the focus, the only input of files takes what is pasted.
    const paste = (event: globalThis.ClipboardEvent) => {
      if (event.target !== document.body || document.querySelectorAll('.files-choose').length !== 1) return
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length > 0) take(files)
    }
    window.addEventListener('dragover', keep)
    window.addEventListener('drop', keep)
    document.addEventListener('paste', paste)
    return () => {
      window.removeEventListener('dragover', keep)
      window.removeEventListener('drop', keep)
      document.removeEventListener('paste', paste)
    }
  }, [])
  const ofFiles = (work: (event: DragEvent) => void) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    work(event)
  }
  return {
    isOver: depth > 0,
    zone: {
      onDragEnter: ofFiles(() => setDepth((now) => now + 1)),
      onDragLeave: ofFiles(() => setDepth((now) => Math.max(now - 1, 0))),
      onDragOver: ofFiles((event) => {
        event.dataTransfer.dropEffect = 'copy'
      }),
      onDrop: ofFiles((event) => {
        setDepth(0)
        onFiles([...event.dataTransfer.files])
      }),
      onPaste: (event: ClipboardEvent) => {
        const files = [...event.clipboardData.files]
        if (files.length === 0) return
        event.preventDefault()
        onFiles(files)
      },
    },
  }
}
