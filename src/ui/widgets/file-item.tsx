import {
  ArrowLeft,
  ArrowRight,
  Download,
  Ellipsis,
  ExternalLink,
  Eye,
  GripVertical,
  Pencil,
  RotateCw,
  Trash2,
  X,
} from 'lucide-react'
import { AdminError } from '../../client/client.ts'
import { FilePicture, previewOf } from '../cells/file-cell.tsx'
import { type FileEntry, type FileValue, fileOf, type UploadStatus } from '../cells/file-values.ts'
import { IconButton } from '../parts/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import type { Text } from '../text/en.ts'
import { formatSize } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { kindName } from './file-rules.ts'
import type { FileOrder } from './use-file-order.ts'
import { useLocalPicture, useUploadStatus } from './use-uploads.ts'

interface FileItemProps {
  readonly entry: FileEntry
  readonly place: number
  readonly count: number
  readonly isImage: boolean
  /** Name of the field, with which messages of the server begin. */
  readonly fieldName: string
  readonly order: FileOrder
  readonly onOpen: () => void
  readonly onDetails: () => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

/** A file of an input: its picture or icon, its name, how far its upload is, and what can be done with it. */
export function FileItem(props: FileItemProps) {
  const { entry, place, count, isImage, fieldName, order, onOpen, onRemove } = props
  const { files: text, common, errors } = useText()
  const locale = useLocale()
  const { name, alt, upload } = entry
  const status = useUploadStatus(upload)
  const local = useLocalPicture(upload?.file)
  const file = fileOf(entry)
  const type = file?.type ?? upload?.file.type ?? ''
  const isMovable = count > 1
  const isGoing = status?.state === 'waiting' || status?.state === 'sending'
  const opens = openingOf(file, local)
  const picture = (
    <FilePicture
      type={type}
      src={local ?? (file && previewOf(file))}
      alt={alt ?? ''}
      iconSize={isImage ? 28 : 20}
      missing={isImage && <span className="file-gone">{text.gone}</span>}
    />
  )
  return (
    <li
      className="file"
      data-file={entry.key}
      data-state={status?.state}
      data-dragged={order.dragged === place || undefined}
      data-target={markOf(order, place)}
      onPointerDown={(event) => isMovable && !isControl(event.target) && order.onPointerDown(event, place, false)}
    >
      {opens === 'dialog' ? (
        <button type="button" className="file-view" aria-label={text.preview(name)} onClick={onOpen}>
          {picture}
        </button>
      ) : (
        <span className="file-view">{picture}</span>
      )}
      <span className="file-text">
        <span className="file-name" title={name}>
          {name}
        </span>
        <FileState {...{ status, file, name, fieldName }} texts={{ text, errors, locale }} />
        {status?.state === 'sending' && (
          <progress className="file-progress" max={Math.max(upload?.file.size ?? 1, 1)} value={status.sent} aria-label={name} />
        )}
      </span>
      {isMovable && (
        <IconButton
          className="file-handle"
          label={text.move(name, place + 1, count)}
          title={text.moveHelp}
          data-tooltip={undefined}
          icon={<GripVertical size={16} aria-hidden />}
          onPointerDown={(event) => order.onPointerDown(event, place, true)}
          onKeyDown={(event) => order.onKeyDown(event, place)}
        />
      )}
      {isGoing ? (
        <IconButton
          className="file-menu"
          label={`${common.cancel}: ${name}`}
          icon={<X size={16} aria-hidden />}
          onClick={onRemove}
        />
      ) : (
        <FileMenu {...props} file={file} opens={opens} status={status} />
      )}
    </li>
  )
}

/** What a file does when it is opened: it is shown in a dialog, or in a tab by the browser. */
type Opening = 'dialog' | 'tab' | undefined

function openingOf(file: FileValue | undefined, local: string | undefined): Opening {
  if (local !== undefined) return 'dialog'
  if (file?.url === undefined) return undefined
  if (file.width !== null || /^(?:audio|video)\//.test(file.type)) return 'dialog'
  return file.type === 'application/pdf' || file.type === 'text/plain' ? 'tab' : undefined
}

/** Controls within a file take the pointer themselves, but for its picture. */
const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button:not(.file-view), input') !== null

/** Where the mark of a drag stands at a file: before or after it. */
function markOf({ dragged, target }: FileOrder, place: number): 'before' | 'after' | undefined {
  if (dragged === undefined || target !== place || target === dragged) return undefined
  return target < dragged ? 'before' : 'after'
}

interface FileMenuProps extends FileItemProps {
  readonly file: FileValue | undefined
  readonly opens: Opening
  readonly status: UploadStatus | undefined
}

function FileMenu(props: FileMenuProps) {
  const { entry, file, opens, status, isImage, place, count, onOpen, onDetails, onMove, onRemove } = props
  const { files: text, common } = useText()
  const isFailed = status?.state === 'failed'
  const canRetry = isFailed && status.message === undefined
  const trigger = <IconButton className="file-menu" label={text.actions(entry.name)} icon={<Ellipsis size={16} aria-hidden />} />
  return (
    <Menu trigger={trigger}>
      {canRetry && (
        <MenuItem icon={<RotateCw size={14} aria-hidden />} onClick={() => entry.upload?.retry()}>
          {common.retry}
        </MenuItem>
      )}
      {opens === 'dialog' && (
        <MenuItem icon={<Eye size={14} aria-hidden />} onClick={onOpen}>
          {text.open}
        </MenuItem>
      )}
      {opens === 'tab' && (
        <MenuItem
          icon={<ExternalLink size={14} aria-hidden />}
          render={<a href={file?.url} target="_blank" rel="noreferrer" aria-label={text.openTab} />}
        >
          {text.openTab}
        </MenuItem>
      )}
      {file?.url !== undefined && (
        <MenuItem
          icon={<Download size={14} aria-hidden />}
          render={<a href={`${file.url}?download=true`} download aria-label={text.download} />}
        >
          {text.download}
        </MenuItem>
      )}
      {!isFailed && (
        <MenuItem icon={<Pencil size={14} aria-hidden />} onClick={onDetails}>
          {isImage ? text.details : text.rename}
        </MenuItem>
      )}
      {count > 1 && (
        <>
          <MenuItem icon={<ArrowLeft size={14} aria-hidden />} onClick={() => onMove(-1)} isDisabled={place === 0}>
            {text.earlier}
          </MenuItem>
          <MenuItem icon={<ArrowRight size={14} aria-hidden />} onClick={() => onMove(1)} isDisabled={place === count - 1}>
            {text.later}
          </MenuItem>
        </>
      )}
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 size={14} aria-hidden />} onClick={onRemove}>
        {text.remove}
      </MenuItem>
    </Menu>
  )
}

interface FileStateProps {
  readonly status: UploadStatus | undefined
  readonly file: FileValue | undefined
  readonly name: string
  readonly fieldName: string
  readonly texts: { readonly text: Text['files']; readonly errors: Text['errors']; readonly locale: string }
}

/** The line below the name: size and kind, or how far the upload is, or why it failed. */
function FileState({ status, file, name, fieldName, texts: { text, errors, locale } }: FileStateProps) {
  if (status?.state === 'waiting') return <span className="file-facts">{text.waiting}</span>
  if (status?.state === 'failed') return <span className="file-fault">{faultOf(status, name, fieldName, text, errors)}</span>
  if (file === undefined) return undefined
  const sides = file.width === null || file.height === null ? kindName(file.type) : `${file.width} × ${file.height}`
  return (
    <span className="file-facts">
      {sides} · {formatSize(file.size, locale)}
    </span>
  )
}

function faultOf(
  { error, message }: UploadStatus & { readonly state: 'failed' },
  name: string,
  fieldName: string,
  text: Text['files'],
  errors: Text['errors'],
): string {
  // The message names the field; here it is about the file.
  if (message?.startsWith(`${fieldName} `))
    return errors.fromServer(name + message.slice(fieldName.length)).slice(name.length + 1)
  if (message !== undefined) return errors.fromServer(message)
  if (error instanceof AdminError && error.type === 'network') return text.failed
  return error instanceof Error ? errors.fromServer(error.message) : text.failed
}
