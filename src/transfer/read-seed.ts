import { extname } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { Faults } from '../config/fault.ts'
import { readTextFile, type SeedFile } from '../config/project-files.ts'
import { flatSource, type Source, within } from '../config/source.ts'
import { parseText } from '../config/text-source.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import { isObject, type Json } from '../util/json.ts'

/** A record as a seed file holds it, and where. */
export interface SeedRecord {
  readonly data: Readonly<Record<string, unknown>>
  readonly source: Source
}

/** Reads the records of a seed file: a list in YAML or JSON, a record a line in NDJSON, a table in CSV. */
export async function readSeed({ path, file }: SeedFile, model: Model): Promise<{ records: SeedRecord[]; faults: Faults }> {
  const faults = new Faults()
  const content = await readTextFile(path, file, faults)
  if (content === undefined) return { records: [], faults }
  const text = content.replace(/^\uFEFF/, '')
  switch (extname(path)) {
    case '.csv':
      return readCsv(text, file, model)
    case '.ndjson':
      return readNdjson(text, file)
    default:
      return readList(text, file, extname(path) === '.json' ? 'json' : 'yaml')
  }
}

function readList(text: string, file: string, format: 'yaml' | 'json'): { records: SeedRecord[]; faults: Faults } {
  const { definition, faults } = parseText(text, file, format)
  const { value, source } = definition
  if (!Array.isArray(value)) {
    if (!faults.any) faults.add(source, [], 'A seed file is a list of records')
    return { records: [], faults }
  }
  return { records: value.flatMap((data, index) => checked(data, within(source, [index]), faults)), faults }
}

function readNdjson(text: string, file: string): { records: SeedRecord[]; faults: Faults } {
  const faults = new Faults()
  const records = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const source = flatSource(file, index + 1)
    try {
      return checked(JSON.parse(line), source, faults)
    } catch (error) {
      faults.add(source, [], `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
      return []
    }
  })
  return { records, faults }
}

interface CsvRow {
  readonly record: Readonly<Record<string, string>>
  readonly info: { readonly lines: number }
  readonly raw: string
}

function readCsv(text: string, file: string, model: Model): { records: SeedRecord[]; faults: Faults } {
  const faults = new Faults()
  const nameColumns = (header: string[]): string[] => {
    const twice = header.find((name, index) => header.indexOf(name) < index)
    if (twice !== undefined) faults.add(flatSource(file), [], `The column '${twice}' is there twice`)
    return header
  }
  try {
    const rows = parseCsv(text, { columns: nameColumns, info: true, raw: true, skip_empty_lines: true }) as unknown as CsvRow[]
    const records = rows.map(({ record, info, raw }) => {
      // A row is numbered by the line it ends at; quoted line breaks lie between that and the line it begins at.
      const breaks = raw.trim().split('\n').length - 1
      const source = flatSource(file, info.lines - breaks)
      const cells = Object.entries(record).map(([name, cell]) => [name, readCell(model.fields.get(name), cell)])
      return { data: Object.fromEntries(cells), source }
    })
    return { records, faults }
  } catch (error) {
    const told = error instanceof Error && 'lines' in error ? Number(error.lines) : 1
    faults.add(flatSource(file, told), [], `Not valid CSV: ${error instanceof Error ? error.message : String(error)}`)
    return { records: [], faults }
  }
}

/** An empty cell is null; a list holds its items between semicolons. What cannot be read is left for validation to name. */
function readCell(field: Field | undefined, cell: string): Json {
  if (cell === '') return null
  if (field === undefined || field.type.secret) return cell
  if (field.type.name === 'json') return parseJsonCell(cell)
  if (field.type.list) return cell.split(';').map((item) => readItem(field, item.trim()))
  return readItem(field, cell)
}

function readItem(field: Field, text: string): Json {
  const reading = field.type.parse(text)
  return reading.ok ? reading.value : text
}

function parseJsonCell(cell: string): Json {
  try {
    return JSON.parse(cell) as Json
  } catch {
    return cell
  }
}

function checked(data: unknown, source: Source, faults: Faults): SeedRecord[] {
  if (isObject(data)) return [{ data, source }]
  faults.add(source, [], 'A record is a mapping of field names to values')
  return []
}
