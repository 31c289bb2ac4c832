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

/** What of a file its field limits. */
type LimitedFile = Pick<StoredFile, 'type' | 'size' | 'width' | 'height'>

/**
 * The first limit of a field that a file breaks; undefined if it breaks none. Messages follow the field's name.
 *
 * @param maxSize in bytes, of a field that has none of its own
 */
export function brokenFileLimit(rules: FileRules, file: LimitedFile, maxSize: number): string | undefined {
  const { minWidth, minHeight, maxPixels } = rules
  const [width, height] = [file.width ?? 0, file.height ?? 0]
  const refusal = typeRefusal(file.type, rules)
  if (refusal !== undefined) return refusal
  if (file.size > (rules.maxSize ?? maxSize)) return `must not be larger than ${formatBytes(rules.maxSize ?? maxSize)}`
  if (!rules.isImage) return undefined
  if (minWidth !== undefined && width < minWidth) return `must be at least ${minWidth} pixels wide`
  if (minHeight !== undefined && height < minHeight) return `must be at least ${minHeight} pixels high`
  return width * height > maxPixels ? `must have at most ${maxPixels} pixels` : undefined
}

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
