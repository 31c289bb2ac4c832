import { formatBytes } from '../util/bytes.ts'
import type { FileRules, StoredFile } from './files.ts'

/** Names of media types in messages. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'image/heic': 'HEIC',
  'image/heif': 'HEIF',
  'image/svg+xml': 'SVG',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
  'application/pdf': 'PDF',
}

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
  if (!acceptsType(rules, file.type)) return wrongType(rules, file.type)
  if (file.size > (rules.maxSize ?? maxSize)) return `must not be larger than ${formatBytes(rules.maxSize ?? maxSize)}`
  if (!rules.isImage) return undefined
  if (minWidth !== undefined && width < minWidth) return `must be at least ${minWidth} pixels wide`
  if (minHeight !== undefined && height < minHeight) return `must be at least ${minHeight} pixels high`
  return width * height > maxPixels ? `must have at most ${maxPixels} pixels` : undefined
}

/** True if a field takes files of a media type. */
export const acceptsType = ({ accept }: Pick<FileRules, 'accept'>, type: string): boolean =>
  accept?.some((each) => (each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : each === type)) !== false

/** Names the types that a field takes: `must be a JPEG, PNG or WebP image, not HEIC`. */
export function wrongType({ accept = [] }: Pick<FileRules, 'accept'>, type: string): string {
  const areNamed = accept.every((each) => each.startsWith('image/') && TYPE_NAMES[each] !== undefined)
  const not = TYPE_NAMES[type] ?? type
  if (!areNamed) return `must be of the type ${inWords(accept)}, not ${type}`
  const names = accept.map((each) => TYPE_NAMES[each] ?? each)
  return `must be ${names[0] === 'AVIF' ? 'an' : 'a'} ${inWords(names)} image, not ${not}`
}

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
