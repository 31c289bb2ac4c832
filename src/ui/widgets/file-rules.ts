import type { SiteField } from '../../client/client.ts'
import type { FieldView } from '../data/views.ts'

/** What an input of files takes. */
export interface FileLimits {
  readonly isImage: boolean
  readonly isList: boolean
  readonly maxFiles: number
  /** In bytes. */
  readonly maxSize: number
  /** Media types such as `application/pdf` and `image/*`; undefined for all. */
  readonly accept: readonly string[] | undefined
}

/** Why a file is not sent. */
export type FileRefusal =
  | { readonly kind: 'size' }
  | { readonly kind: 'count' }
  /** `type` is the kind of file as users name it, such as HEIC; empty where the browser does not know it */
  | { readonly kind: 'type'; readonly type: string }

/** The limits of a field, which the form may narrow. */
export function fileLimits(view: FieldView, { type, file }: SiteField, uploadBytes: number): FileLimits {
  const { max_size: narrowed, max_files, accept } = view.options ?? {}
  const own = file?.max_size ?? uploadBytes
  return {
    isImage: type === 'image',
    isList: file?.multiple ?? false,
    maxFiles: file?.multiple === true ? Math.min(max_files ?? file.max_files, file.max_files) : 1,
    maxSize: Math.min(bytesIn(narrowed) ?? own, own),
    accept: accept ?? file?.accept ?? undefined,
  }
}

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** A size as views write it: bytes, or a text such as `8 MiB`. */
function bytesIn(size: unknown): number | undefined {
  if (typeof size === 'number') return size
  const [, digits, unit = ''] = /^([\d.]+)\s*([KMG]iB)$/.exec(String(size)) ?? []
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 1)
}

/** Types that browsers do not know, by the ending of names. */
const ENDINGS: Readonly<Record<string, string>> = {
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
  webp: 'image/webp',
}

/**
 * Judges a file by its size and the type that the browser gives it. The server judges the bytes; a type that the browser does not know is left to it.
 *
 * @returns undefined for a file that may be sent
 */
export function fileRefusal(
  { name, type, size }: Pick<File, 'name' | 'type' | 'size'>,
  limits: FileLimits,
): FileRefusal | undefined {
  if (size > limits.maxSize) return { kind: 'size' }
  const ending = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : ''
  const given = (type.split(';')[0] || ENDINGS[ending]) ?? ''
  if (
    given === '' ||
    given === 'application/octet-stream' ||
    limits.accept === undefined ||
    limits.accept.some((each) => isOf(given, each))
  )
    return undefined
  return { kind: 'type', type: kindName(given) }
}

/** Types whose files are text: the server finds no other type in their bytes, and browsers name them differently. */
const TEXTS = /^text\/|\/(?:json|yaml|x-yaml|x-ndjson|csv)$/

function isOf(type: string, accepted: string): boolean {
  if (accepted.endsWith('/*')) return type.startsWith(accepted.slice(0, -1))
  return type === accepted || (TEXTS.test(accepted) && TEXTS.test(type))
}

const NAMES: Readonly<Record<string, string>> = {
  'image/heif': 'HEIC',
  'image/webp': 'WebP',
  'image/svg+xml': 'SVG',
  'text/plain': 'TXT',
  'text/markdown': 'Markdown',
  'audio/mpeg': 'MP3',
  'video/quicktime': 'QuickTime',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word (DOCX)',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel (XLSX)',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint (PPTX)',
  'application/msword': 'Word (DOC)',
  'application/vnd.ms-excel': 'Excel (XLS)',
}

/** A media type as users name it: `image/jpeg` is JPEG. */
export const kindName = (type: string): string => NAMES[type] ?? (type.split('/')[1] ?? type).replace(/^x-/, '').toUpperCase()
