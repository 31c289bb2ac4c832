import { extname } from 'node:path'

/** The files that records are exported to and imported from: RFC 4180, RFC 8259, and a JSON value a line. */
export const FORMATS = ['csv', 'json', 'ndjson'] as const

/** What an export is when nobody says. */
export const DEFAULT_FORMAT: Format = 'csv'

export type Format = (typeof FORMATS)[number]

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
}

/** The format of a media type without parameters; undefined for what is not read. */
export const formatOfType = (type: string): Format | undefined => FORMATS.find((format) => MEDIA_TYPES[format] === type)

/** The format that a file's name ends in. */
export const formatOfName = (name: string): Format | undefined =>
  FORMATS.find((format) => extname(name).toLowerCase() === `.${format}`)
