import { fileTypeFromBuffer } from 'file-type'
import { PLAIN_TEXT, UNKNOWN_TYPE } from '../model/file-limits.ts'

/** Number of bytes at the beginning of a file that tell its media type. */
export const SAMPLE_BYTES = 4100

/** Media types of files that may be text without control characters. A text that begins as another type does is a text: `BMW` begins as BMP does. */
const OF_TEXTS = /^(?:text\/.*|application\/(?:pdf|rtf|postscript|eps|xml))$/

/**
 * The media type of a file by its first bytes. HTML, SVG and XML are recognised as such, other files of valid UTF-8 without control characters as
 * plain text.
 *
 * @param sample the first 4,100 bytes, or the whole file
 */
export async function detectType(sample: Buffer): Promise<string> {
  const markup = markupTypeOf(sample.toString('latin1'))
  if (markup !== undefined) return markup
  const isText = isPlainText(sample)
  const found = await fileTypeFromBuffer(sample).catch(() => undefined)
  const type = found?.mime.replace(/;.*/, '').toLowerCase()
  // An animated PNG is one that decoders of PNG read.
  if (type === 'image/apng') return 'image/png'
  if (type !== undefined && (!isText || OF_TEXTS.test(type))) return type
  return isText ? PLAIN_TEXT : UNKNOWN_TYPE
}

/** True for UTF-8 without control characters; the last character may be incomplete, since the sample ends somewhere. */
function isPlainText(sample: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: sample.length === SAMPLE_BYTES })
    return !/[^\P{Cc}\t\n\f\r]/u.test(text)
  } catch {
    return false
  }
}

/** Elements by which a browser that guesses would know HTML (https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type), and more. */
const OF_HTML: ReadonlySet<string> = new Set(
  (
    'a abbr article aside audio b base basefont body br button canvas center code dd details dialog div dl dt em embed fieldset figure font footer ' +
    'form frame frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label li link main map marquee math menu meta nav noscript ' +
    'object ol p param pre q s script section select slot small source span strong style summary sup table tbody td template textarea th thead title ' +
    'tr tt u ul var video xmp'
  ).split(' '),
)

/**
 * The media type of markup; undefined for other files.
 *
 * @param text bytes as characters of ISO 8859-1, so that the encoding of the rest does not matter
 */
function markupTypeOf(text: string): string | undefined {
  const start = text.replace(/^(?:\xef\xbb\xbf)?[\t\n\f\r ]*/, '')
  if (!/^<(?:[a-z][\w.-]*(?::[\w.-]+)?(?:[\s/>]|$)|!--|!doctype\b|\?xml\b)/i.test(start)) return undefined
  const isXml = /^<\?xml\b/i.test(start)
  const content = withoutProlog(start)
  const [, doctype] = /^<!doctype\s+([\w.:-]+)/i.exec(content) ?? []
  const [, element] = /^<(?:[\w.-]+:)?([\w.-]+)/.exec(content) ?? []
  const root = (doctype ?? element)?.toLowerCase()
  if (root === 'svg') return 'image/svg+xml'
  if (root !== undefined && (root === 'html' || (!isXml && OF_HTML.has(root)))) return 'text/html'
  // A comment alone is the beginning of HTML for a browser that guesses.
  return isXml || root !== undefined ? 'application/xml' : 'text/html'
}

/** Text from its document type or its first element on. */
function withoutProlog(text: string): string {
  let rest = text
  for (;;) {
    const end = rest.startsWith('<!--') ? rest.indexOf('-->') + 3 : rest.startsWith('<?') ? rest.indexOf('?>') + 2 : 0
    if (end < 4) return rest
    rest = rest.slice(end).trimStart()
  }
}
