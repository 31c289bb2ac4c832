import { AppError } from '../errors.ts'
import type { Field } from '../model/field.ts'
import type { StoredRecord } from '../store/store.ts'
import type { Json } from '../util/json.ts'
import { Slices } from '../util/slices.ts'
import { cellText, storedValue } from './cells.ts'
import { zipped } from './zip.ts'

/** Rows of a sheet, with its head. */
const MAX_ROWS = 1_048_576
/** Characters of a text, in UTF-16 code units. */
const MAX_TEXT = 32_767

/** A sheet: its name, and the head and the type of each column. */
interface Sheet {
  readonly name: string
  readonly titles: readonly string[]
  readonly fields: readonly Field[]
}

type Batches = AsyncIterable<readonly StoredRecord[]>

/** @throws {AppError} INVALID_REQUEST for more records than a sheet has rows */
export function checkRows(records: number): void {
  if (records < MAX_ROWS) return
  const most = (MAX_ROWS - 1).toLocaleString('en')
  refuse(`XLSX holds at most ${most} records, and ${records.toLocaleString('en')} match; use filters, or export as CSV`)
}

/** False for a field whose values fit into a cell, whatever they are. */
export function mayBeLong({ type, limits }: Field): boolean {
  if (type.list || type.structured) return true
  // A character of a limit is one or two code units.
  return type.searchable && (limits.max_length === undefined || limits.max_length > MAX_TEXT / 2)
}

/** @throws {AppError} INVALID_REQUEST for a text that is longer than a cell holds */
export async function checkLengths(fields: readonly Field[], batches: Batches): Promise<void> {
  const long = fields.filter(mayBeLong)
  const slices = new Slices()
  for await (const records of batches) {
    // A fast store would keep other requests waiting.
    if (slices.isOver) await slices.next()
    for (const record of records) {
      for (const field of long) {
        const length = cellText(field, storedValue(record, field))?.length ?? 0
        if (length > MAX_TEXT) refuse(tooLong(record, field, length))
      }
    }
  }
}

const tooLong = ({ id }: StoredRecord, { name }: Field, length: number): string =>
  `A cell of XLSX holds at most ${MAX_TEXT.toLocaleString('en')} characters, and '${name}' of the record with ID ${id} has ${length.toLocaleString('en')}; leave this field out, or export as CSV`

function refuse(message: string): never {
  throw new AppError('INVALID_REQUEST', { format: [message] })
}

/** A workbook of one sheet (ECMA-376), in pieces. Its texts stand in the cells, so that memory does not grow with the rows. */
export function writeWorkbook({ name, titles, fields }: Sheet, batches: Batches): AsyncGenerator<Uint8Array> {
  const formats = [...new Set(fields.map(numberFormat))]
  return zipped([
    { name: '[Content_Types].xml', text: CONTENT_TYPES },
    { name: '_rels/.rels', text: relationships(['officeDocument', 'xl/workbook.xml']) },
    { name: 'xl/workbook.xml', text: workbookXml(sheetName(name)) },
    {
      name: 'xl/_rels/workbook.xml.rels',
      text: relationships(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    },
    { name: 'xl/styles.xml', text: stylesXml(formats) },
    { name: 'xl/worksheets/sheet1.xml', text: sheetXml(titles, fields, formats, batches) },
  ])
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const PART_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${PART_TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${PART_TYPE}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${PART_TYPE}.worksheet+xml"/></Types>`

function relationships(...targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
}

const workbookXml = (name: string): string =>
  `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`

/** A name that a sheet may have: at most 31 characters, some of them replaced, and not `History`. */
function sheetName(label: string): string {
  const name = label
    .replace(/[[\]:*?/\\\p{Cc}]/gu, ' ')
    .slice(0, 31)
    .replace(/^[' ]+|[' ]+$/g, '')
  return name === '' || /^history$/i.test(name) ? `${name}_` : name
}

/** The first two formats of cells: plain, and the bold head. Those of numbers and dates follow. */
const PLAIN = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
const BOLD = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
const HEAD_STYLE = 1
/** Numbers below are those of formats that every spreadsheet has. */
const FIRST_FORMAT = 164

function stylesXml(formats: readonly string[]): string {
  const codes = formats.map((code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escaped(code)}"/>`)
  const cells = formats.map(
    (_, index) => `<xf numFmtId="${FIRST_FORMAT + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  )
  const font = '<sz val="11"/><name val="Calibri"/>'
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${formats.length}">${codes.join('')}</numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${formats.length + 2}">${PLAIN}${BOLD}${cells.join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}

/** The format of the numbers and dates of a column. */
function numberFormat({ type, limits }: Field): string {
  if (type.name === 'date') return 'yyyy-mm-dd'
  if (type.name === 'datetime') return 'yyyy-mm-dd hh:mm:ss'
  if (type.name === 'time') return 'hh:mm:ss'
  const places = type.name === 'decimal' ? (limits.decimal_places ?? 0) : 0
  return places === 0 ? 'General' : `0.${'0'.repeat(Math.min(places, 15))}`
}

/** Characters that most values of a type need. */
const WIDTHS: Readonly<Record<string, number>> = {
  primarykey: 8,
  boolean: 8,
  date: 11,
  time: 9,
  datetime: 19,
  string: 24,
  text: 40,
}

async function* sheetXml(
  titles: readonly string[],
  fields: readonly Field[],
  formats: readonly string[],
  batches: Batches,
): AsyncGenerator<string> {
  const columns = fields.map((field, index) => ({
    field,
    name: columnName(index),
    style: formats.indexOf(numberFormat(field)) + 2,
  }))
  const widths = fields.map(({ type }, index) => {
    const width = Math.max(WIDTHS[type.name] ?? 12, Math.min(titles[index]?.length ?? 0, 40)) + 2
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  const head = columns.map(({ name }, index) => textCell(`${name}1`, titles[index] ?? '', HEAD_STYLE))
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${widths.length === 0 ? '' : `<cols>${widths.join('')}</cols>`}<sheetData><row r="1">${head.join('')}</row>`
  let row = 1
  for await (const records of batches) {
    let xml = ''
    for (const record of records) {
      row += 1
      if (row > MAX_ROWS) throw new Error(`A sheet has at most ${MAX_ROWS} rows`)
      xml += `<row r="${row}">`
      for (const { field, name, style } of columns) {
        const value = storedValue(record, field)
        if (value !== null) xml += cell(`${name}${row}`, field, value, style, record)
      }
      xml += '</row>'
    }
    yield xml
  }
  yield '</sheetData></worksheet>'
}

/** `A` … `Z`, `AA` … */
function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last
}

function cell(at: string, field: Field, value: Json, style: number, record: StoredRecord): string {
  if (typeof value === 'boolean') return `<c r="${at}" t="b"><v>${value ? 1 : 0}</v></c>`
  const number = numeral(field, value)
  if (number !== undefined) return `<c r="${at}" s="${style}"><v>${number}</v></c>`
  const text = cellText(field, value)
  if (text === null) return ''
  if (text.length > MAX_TEXT) throw new Error(tooLong(record, field, text.length))
  return textCell(at, text)
}

const textCell = (at: string, text: string, style = 0): string =>
  `<c r="${at}"${style === 0 ? '' : ` s="${style}"`} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

/** A spreadsheet keeps 15 digits of a number. */
const MAX_DIGITS = 15

/** A value as a number in a cell; undefined for what is text, and for a number that a spreadsheet would change. */
function numeral({ type }: Field, value: Json): string | undefined {
  if (typeof value === 'number') return type.name !== 'number' && Math.abs(value) >= 10 ** MAX_DIGITS ? undefined : String(value)
  if (typeof value !== 'string') return undefined
  switch (type.name) {
    case 'decimal':
      return value.replace(/^-?0*\.?0*|\./g, '').length > MAX_DIGITS ? undefined : value
    case 'date':
      return serial(`${value}T00:00:00Z`)
    case 'datetime':
      return serial(`${value.slice(0, 23).replace(' ', 'T').replace('Z', '')}Z`)
    case 'time':
      return String((Date.parse(`1970-01-01T${value}Z`) || 0) / DAY)
    default:
      return undefined
  }
}

const DAY = 86_400_000
const FIRST_DAY = Date.UTC(1899, 11, 30)
/** Spreadsheets count a 29 February 1900, which did not exist: numbers of earlier days mean other days to some of them. */
const FIRST_SURE_DAY = 61

/** Days since the end of 1899; undefined for an earlier date, which stays text. */
function serial(iso: string): string | undefined {
  const days = (Date.parse(iso) - FIRST_DAY) / DAY
  return days >= FIRST_SURE_DAY ? String(days) : undefined
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Text for XML. Characters that XML cannot hold, or changes, are written `_x000D_`, as ECMA-376 has it; so is the `_` of a text that looks
 * like one.
 */
const escaped = (text: string): string =>
  SPECIAL.test(text)
    ? text.replace(
        EACH_SPECIAL,
        (found) => ENTITIES[found] ?? `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
      )
    : text

const PATTERN =
  '[&<>"]|[\\u0000-\\u0008\\u000B-\\u001F\\uFFFE\\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]'
const SPECIAL = new RegExp(PATTERN)
const EACH_SPECIAL = new RegExp(PATTERN, 'g')
