import { extname } from 'node:path'

/** Formats of import files, and of most exports: RFC 4180, RFC 8259, and one JSON value a line. */
export const FORMATS = ['csv', 'json', 'ndjson'] as const

/** Format of an export without `format`. */
export const DEFAULT_FORMAT: Format = 'csv'

export type Format = (typeof FORMATS)[number]

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** Formats of export files: those of imports, and a workbook (ECMA-376). */
export const EXPORT_FORMATS = [...FORMATS, 'xlsx'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  ...MEDIA_TYPES,
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The format of a media type without parameters; undefined if unsupported. */
export const formatOfType = (type: string): Format | undefined => FORMATS.find((format) => MEDIA_TYPES[format] === type)

/** The format of a file name's extension. */
export const formatOfName = (name: string): Format | undefined =>
  FORMATS.find((format) => extname(name).toLowerCase() === `.${format}`)

/** Separators of CSV files, by the names of the option `delimiter`. */
export const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t' } as const

/** The name of a separator. */
export type DelimiterName = keyof typeof DELIMITERS
