/** A page of an A4 PDF (ISO 32000) with lines of text. Characters beyond Latin-1 become question marks, as the built-in fonts lack them. */
export function encodePdf(title: string, lines: readonly string[]): Buffer {
  const text = [`/F1 24 Tf 72 760 Td (${escaped(title)}) Tj`, '/F1 12 Tf 0 -16 Td', ...lines.map(lineOf)].join('\n')
  const content = `BT\n${text}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(body.length)
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(body + table + trailer, 'latin1')
}

const lineOf = (line: string): string => `0 -20 Td (${escaped(line)}) Tj`

/** A text as the contents of a literal string. */
const escaped = (text: string): string => text.replace(/[^\x20-\x7E\xA0-\xFF]/g, '?').replace(/[\\()]/g, '\\$&')
