/** Maximum length of a name on disk in bytes of UTF-8. File systems take 255, and a draft beside the file has a longer name. */
const MAX_BYTES = 200
/** Maximum length of what counts as an extension, with its dot. */
const MAX_EXTENSION = 16

/** Characters that Windows, macOS or Linux do not take in names, control characters, and those that change the direction of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: names of files come from clients
const REFUSED = /[\u0000-\u001f\u007f-\u009f"*/:<>?\\|\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Names of devices on Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?=\.|$)/i

/**
 * A name under which a file can be stored on any of the usual file systems. The name in the record stays as it is.
 *
 * @param isTaken true for a name that another file of the folder has; names that differ only in case are the same
 */
export function diskName(name: string, isTaken: (name: string) => boolean = () => false): string {
  const plain = name
    .toWellFormed()
    .normalize('NFC')
    .replace(REFUSED, '_')
    .replace(/^ +|[ .]+$/g, '')
  const safe = RESERVED.test(plain) ? `_${plain}` : plain === '' ? 'file' : plain
  const dot = safe.lastIndexOf('.')
  const extension = dot > 0 && safe.length - dot <= MAX_EXTENSION ? safe.slice(dot) : ''
  const stem = safe.slice(0, safe.length - extension.length)
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const candidate = `${shortened(stem, MAX_BYTES - Buffer.byteLength(suffix + extension))}${suffix}${extension}`
    if (!isTaken(candidate)) return candidate
  }
}

/** The beginning of a text that has at most so many bytes, cut between characters as people see them. */
function shortened(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let kept = ''
  let bytes = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > maxBytes) break
    kept += segment
  }
  return kept.replace(/[ .]+$/, '')
}

/** Gives the files of a folder names of their own. */
export class DiskNames {
  readonly #taken = new Set<string>()

  /** The name on disk for a further file. */
  next(name: string): string {
    const found = diskName(name, (candidate) => this.#taken.has(folded(candidate)))
    this.#taken.add(folded(found))
    return found
  }
}

/** File systems of macOS and Windows take names that differ only in case as one. */
const folded = (name: string): string => name.toLowerCase().normalize('NFC')
