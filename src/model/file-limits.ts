import type { Settings } from '../config/settings.ts'
import { formatBytes } from '../util/bytes.ts'
import { type FileRules, IMAGE_TYPES, type StoredFile } from './files.ts'

/** Media type of a text of no known format. */
export const PLAIN_TEXT = 'text/plain'
/** Media type of a file of no known format. */
export const UNKNOWN_TYPE = 'application/octet-stream'

/** Names of media types in messages. */
const NAMES: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/heic-sequence': 'HEIC',
  'image/heif': 'HEIF',
  'image/heif-sequence': 'HEIF',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'image/svg+xml': 'SVG',
  'image/jxl': 'JPEG XL',
  'image/x-icon': 'ICO',
  'image/vnd.adobe.photoshop': 'PSD',
  'application/pdf': 'PDF',
  'application/zip': 'ZIP',
  'application/xml': 'XML',
  'text/html': 'HTML',
  [PLAIN_TEXT]: 'text',
}

/** Types of texts that look like any other text, so that a field which accepts one of them accepts a text. */
const OF_TEXT: ReadonlySet<string> = new Set([
  'text/csv',
  'text/markdown',
  'text/tab-separated-values',
  'application/json',
  'application/yaml',
  'application/x-ndjson',
])

/** The settings of sizes of files. */
export type SizeSettings = Pick<Settings, 'files' | 'max_upload_bytes'>

/** Maximum size of a file of a field in bytes: `max_upload_bytes` where the field has none of its own, and at most `files.max_size`. */
export const maxSizeOf = ({ maxSize }: Pick<FileRules, 'maxSize'>, { max_upload_bytes: usual, files }: SizeSettings): number =>
  Math.min(maxSize ?? usual, files.max_size)

/** What of a file its field limits. */
type LimitedFile = Pick<StoredFile, 'type' | 'size' | 'width' | 'height'>

/**
 * The first limit of a field that a file breaks; undefined if it breaks none. Messages follow the field's name.
 *
 * @param maxSize in bytes; the settings may have one, too (`maxSizeOf`)
 */
export function brokenFileLimit(rules: FileRules, file: LimitedFile, maxSize: number): string | undefined {
  const refusal = typeRefusal(file.type, rules)
  if (refusal !== undefined) return refusal
  if (file.size > maxSize) return `must not be larger than ${formatBytes(maxSize)}`
  return rules.isImage ? brokenSides(rules, { width: file.width ?? 0, height: file.height ?? 0 }) : undefined
}

/** The first limit of sides and pixels that an image breaks; undefined if it breaks none. */
export function brokenSides(
  { minWidth, minHeight, maxPixels }: Pick<FileRules, 'minWidth' | 'minHeight' | 'maxPixels'>,
  { width, height, frames = 1 }: { readonly width: number; readonly height: number; readonly frames?: number },
): string | undefined {
  const pixels = width * height * frames
  if (pixels > maxPixels) {
    const inFrames = frames === 1 ? '' : ` in its ${numeral(frames)} frames together`
    return `must have at most ${numeral(maxPixels)} pixels${inFrames}, not ${numeral(pixels)}`
  }
  if (minWidth !== undefined && width < minWidth) return `must be at least ${minWidth} pixels wide`
  return minHeight !== undefined && height < minHeight ? `must be at least ${minHeight} pixels high` : undefined
}

const numeral = (value: number): string => value.toLocaleString('en')

/** Why a field does not take a number of files; undefined if it takes them. */
export const brokenCount = ({ maxFiles }: Pick<FileRules, 'maxFiles'>, count: number): string | undefined =>
  count > maxFiles ? `must have at most ${maxFiles} ${maxFiles === 1 ? 'file' : 'files'}` : undefined

/** True if a field takes files of a media type. */
export const acceptsType = ({ accept }: Pick<FileRules, 'accept'>, type: string): boolean =>
  accept === undefined || accept.some((pattern) => isOf(type, pattern))

const isOf = (type: string, pattern: string): boolean =>
  pattern === type ||
  (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))) ||
  (type === PLAIN_TEXT && OF_TEXT.has(pattern))

/** Why a field does not take files of a type, in words that follow its name; undefined if it takes them. */
export function typeRefusal(type: string, { isImage, accept }: Pick<FileRules, 'isImage' | 'accept'>): string | undefined {
  if (!isImage) {
    if (acceptsType({ accept }, type)) return undefined
    return `must be of type ${inWords(accept ?? [])}${type === UNKNOWN_TYPE ? '' : `, not ${type}`}`
  }
  const taken = IMAGE_TYPES.filter((image) => acceptsType({ accept }, image))
  if (taken.some((image) => image === type)) return undefined
  const names = inWords(taken.map((image) => NAMES[image] ?? image))
  return `must be ${names.startsWith('A') ? 'an' : 'a'} ${names} image${type === UNKNOWN_TYPE ? '' : `, not ${NAMES[type] ?? type}`}`
}

/** `a`, `a or b`, `a, b or c`. */
const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
