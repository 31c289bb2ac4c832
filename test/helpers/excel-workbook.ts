import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { zipped } from '../../src/transfer/zip.ts'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** A cell as Excel stores it: a shared text, a number, or the serial number of a day with the style of dates. */
export type ExcelCell = string | number | { readonly day: number } | null

/** A workbook as Excel writes it: texts in a table of their own, some with runs of formats, days as serial numbers with a style, formats of numbers, two sheets. */
export async function excelWorkbook(rows: readonly (readonly ExcelCell[])[]): Promise<Buffer> {
  const texts = [...new Set(rows.flat().filter((cell) => typeof cell === 'string'))]
  const places = new Map(texts.map((text, index) => [text, index]))
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const cellXml = (cell: ExcelCell, at: string): string => {
    if (cell === null) return ''
    if (typeof cell === 'string') return `<c r="${at}" t="s"><v>${places.get(cell)}</v></c>`
    return typeof cell === 'number' ? `<c r="${at}" s="2"><v>${cell}</v></c>` : `<c r="${at}" s="1"><v>${cell.day}</v></c>`
  }
  const rowsXml = rows.map((row, index) => {
    const cells = row.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${index + 1}`))
    return cells.join('') === ''
      ? ''
      : `<row r="${index + 1}" spans="1:${row.length}" x14ac:dyDescent="0.25">${cells.join('')}</row>`
  })
  const sheet = (content: string) =>
    `${HEAD}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONS}" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"><sheetFormatPr baseColWidth="10" defaultRowHeight="15"/><sheetData>${content}</sheetData><pageMargins left="0.7" right="0.7" top="0.78740157499999996" bottom="0.78740157499999996" header="0.3" footer="0.3"/></worksheet>`
  // Excel splits a text whose letters have different formats.
  const textXml = (text: string, index: number) =>
    index === 0 && text.length > 1
      ? `<si><r><rPr><b/></rPr><t xml:space="preserve">${escaped(text.slice(0, 1))}</t></r><r><t xml:space="preserve">${escaped(text.slice(1))}</t></r></si>`
      : `<si><t>${escaped(text)}</t></si>`
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const override = (part: string, type: string) => `<Override PartName="/xl/${part}.xml" ContentType="${TYPE}.${type}+xml"/>`
  const parts = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('workbook', 'sheet.main')}${override('worksheets/sheet1', 'worksheet')}${override('worksheets/sheet2', 'worksheet')}${override('styles', 'styles')}${override('sharedStrings', 'sharedStrings')}</Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr defaultThemeVersion="164011"/><sheets><sheet name="Tabelle1" sheetId="1" r:id="rId1"/><sheet name="Notizen" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'worksheet', 'worksheets/sheet1.xml')}${relation(2, 'worksheet', 'worksheets/sheet2.xml')}${relation(3, 'styles', 'styles.xml')}${relation(4, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
    'xl/worksheets/sheet1.xml': sheet(rowsXml.join('')),
    'xl/worksheets/sheet2.xml': sheet('<row r="1"><c r="A1" t="inlineStr"><is><t>Nothing here</t></is></c></row>'),
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00\\ &quot;€&quot;"/></numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}" count="${texts.length}" uniqueCount="${texts.length}">${texts.map(textXml).join('')}</sst>`,
  }
  const files = Object.entries(parts).map(([name, content]) => ({ name, text: content }))
  return buffer(Readable.from(zipped(files)))
}
