import { type FileRules, IMAGE_TYPES } from '../model/files.ts'
import { PLAIN_TEXT, UNKNOWN_TYPE } from './file-types.ts'

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

/** Why a field does not take files of a type, in words that follow its name; undefined if it takes them. */
export function typeRefusal(type: string, { isImage, accept }: Pick<FileRules, 'isImage' | 'accept'>): string | undefined {
  if (!isImage) {
    if (accept === undefined || accept.some((pattern) => isOf(type, pattern))) return undefined
    return `must be of type ${listOf(accept)}${type === UNKNOWN_TYPE ? '' : `, not ${type}`}`
  }
  const taken = IMAGE_TYPES.filter((image) => accept === undefined || accept.some((pattern) => isOf(image, pattern)))
  if (taken.some((image) => image === type)) return undefined
  const names = listOf(taken.map((image) => NAMES[image] ?? image))
  return `must be ${names.startsWith('A') ? 'an' : 'a'} ${names} image${type === UNKNOWN_TYPE ? '' : `, not ${NAMES[type] ?? type}`}`
}

const isOf = (type: string, pattern: string): boolean =>
  pattern === type ||
  pattern === '*/*' ||
  (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))) ||
  (type === PLAIN_TEXT && OF_TEXT.has(pattern))

/** `a`, `a or b`, `a, b or c`. */
const listOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
