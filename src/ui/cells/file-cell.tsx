import { File, FileText, Film, Image, Music } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import '../styles/file-cells.css'
import { formatSize } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { type FileValue, fileEntries, fileOf } from './file-values.ts'

/** Address of the small picture of an image; undefined for a file that has none. */
export const previewOf = ({ url, width }: Pick<FileValue, 'url' | 'width'>): string | undefined =>
  url === undefined || (width ?? null) === null ? undefined : `${url}?thumbnail=preview`

const ICONS = { image: Image, audio: Music, video: Film, text: FileText } as const

/** The icon of a kind of files. */
export function FileIcon({ type, size }: { readonly type: string; readonly size: number }) {
  const [kind = ''] = type.split('/')
  const Icon = type === 'application/pdf' ? FileText : kind in ICONS ? ICONS[kind as keyof typeof ICONS] : File
  return <Icon size={size} strokeWidth={1.5} aria-hidden />
}

interface FilePictureProps {
  readonly type: string
  /** Address of the picture; the icon of the type stands for one that is missing or cannot be read. */
  readonly src: string | undefined
  readonly alt: string
  readonly iconSize: number
  /** Shown beside the icon, where the picture should be and is not. */
  readonly missing?: ReactNode
}

/** A small picture of a file in a box whose size its place decides. */
export function FilePicture({ type, src, alt, iconSize, missing }: FilePictureProps) {
  const [failed, setFailed] = useState<string>()
  const isShown = src !== undefined && src !== failed
  return (
    <span className="file-picture" data-empty={!isShown || undefined}>
      {isShown ? (
        <img src={src} alt={alt} loading="lazy" decoding="async" draggable={false} onError={() => setFailed(src)} />
      ) : (
        <>
          <FileIcon type={type} size={iconSize} />
          {src !== undefined && missing}
        </>
      )}
    </span>
  )
}

interface FileCellProps {
  readonly value: unknown
  readonly isImage: boolean
}

/** Files in a line: the first picture of images with the number of the others; name and size of a file. */
export function FileCell({ value, isImage }: FileCellProps) {
  const locale = useLocale()
  const entries = fileEntries(value)
  const [first] = entries
  if (first === undefined) return undefined
  const file = fileOf(first)
  const further = entries.length - 1
  const names = entries.map(({ name }) => name).join('\n')
  return (
    <span className="cell-files" title={names}>
      {isImage ? (
        <FilePicture type={file?.type ?? 'image/'} src={file && previewOf(file)} alt={first.alt ?? first.name} iconSize={16} />
      ) : (
        <>
          <FileIcon type={file?.type ?? ''} size={16} />
          <span className="cell-text cell-cut">{first.name}</span>
          {file !== undefined && <span className="cell-file-size">{formatSize(file.size, locale)}</span>}
        </>
      )}
      {further > 0 && <span className="cell-further">+{further}</span>}
    </span>
  )
}

/** Files to read: each with its picture or icon, its name and size, as a link to its contents. */
export function ShownFiles({ value, isImage }: FileCellProps) {
  const text = useText().files
  const locale = useLocale()
  const entries = fileEntries(value)
  if (entries.length === 0) {
    return (
      <span className="cell-nothing" aria-hidden>
        –
      </span>
    )
  }
  return (
    <ul className="shown-files" data-pictures={isImage || undefined}>
      {entries.map((entry) => {
        const { key, name, alt } = entry
        const file = fileOf(entry)
        const facts = file === undefined ? undefined : formatSize(file.size, locale)
        const type = file?.type ?? ''
        return (
          <li key={key}>
            <a
              href={file?.url}
              target="_blank"
              rel="noreferrer"
              className="shown-file"
              title={[name, alt].filter(Boolean).join('\n')}
            >
              {isImage ? (
                <FilePicture {...{ type }} src={file && previewOf(file)} alt="" iconSize={24} missing={text.gone} />
              ) : (
                <FileIcon type={type} size={16} />
              )}
              <span className="shown-file-name">{name}</span>
              <span className="cell-file-size">{facts}</span>
            </a>
          </li>
        )
      })}
    </ul>
  )
}
