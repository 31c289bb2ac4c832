import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { Faults } from '../config/fault.ts'
import { NOT_A_FILE, readTextFile, type SeedFile, unreadable } from '../config/project-files.ts'
import { flatSource, type Source, within } from '../config/source.ts'
import { parseText } from '../config/sources/text-source.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { isObject } from '../util/json.ts'
import { isNoFile } from '../util/no-file.ts'
import { parseStrictJson } from '../util/strict-json.ts'
import { MAX_NAMED } from '../validate/issues.ts'
import { readRows } from './row-reader.ts'

/** A record of a seed file. */
export interface SeedRecord {
  readonly data: Readonly<Record<string, unknown>>
  /** Its line in a file of lines, otherwise its index in the list. */
  readonly position: number
}

/** The records of a seed file. */
export interface SeedReading {
  readonly records: AsyncIterable<SeedRecord> | Iterable<SeedRecord>
  /** Faults of the file; complete when all records have been read. Of lines, at most 1,000. */
  readonly faults: Faults
  /** The place in the file of the record at a position. */
  sourceOf(position: number): Source
}

/** JSON seeds up to this length are parsed again to find the position of a fault within a record; of longer ones, the record's line. */
const MAX_POSITIONS_LENGTH = 4 << 20

/**
 * Reads the records of a seed file: a list in YAML or JSON, one record a line in NDJSON, a table in CSV. Lines are read as the records
 * are requested, so a file of any length needs little memory.
 *
 * @param maxRecordBytes maximum size of a record
 */
export async function readSeed(seed: SeedFile, model: Model, maxRecordBytes: number): Promise<SeedReading> {
  const format = extname(seed.path)
  if (format === '.csv' || format === '.ndjson') {
    const faults = new Faults()
    const records = readLines(seed, format === '.csv' ? 'csv' : 'ndjson', model, { maxRecordBytes, faults })
    return { records, faults, sourceOf: (line) => flatSource(seed.file, line) }
  }
  const faults = new Faults()
  const text = await readTextFile(seed.path, seed.file, faults)
  if (text === undefined) return { records: [], faults, sourceOf: () => flatSource(seed.file) }
  return (format === '.json' ? await readSoundJson(text, seed.file) : undefined) ?? readList(text, seed.file, format)
}

/** A list with positions and faults. */
function readList(text: string, file: string, format: string): SeedReading {
  const { definition, faults } = parseText(text, file, format === '.json' ? 'json' : 'yaml', { keepsNumerals: true })
  const { value, source } = definition
  const sourceOf = (index: number) => within(source, [index])
  if (Array.isArray(value)) {
    const records = value.map((data, position) => ({ data, position })).filter(({ data }) => isObject(data))
    for (const [index, data] of value.entries()) if (!isObject(data)) faults.add(sourceOf(index), [], NO_RECORD)
    return { records, faults, sourceOf }
  }
  if (!faults.any) faults.add(source, [], 'A seed file must contain a list of records')
  return { records: [], faults, sourceOf }
}

const NO_RECORD = 'A record must map field names to values'

/** A JSON list without faults, which needs no positions unless a record is refused; undefined for any other text. */
async function readSoundJson(text: string, file: string): Promise<SeedReading | undefined> {
  const { value, faults } = await parseStrictJson(text.replace(/^\uFEFF/, ''), 2).catch(() => ({ value: undefined, faults: [] }))
  if (!Array.isArray(value) || faults.length > 0 || !value.every(isUsual)) return undefined
  let source: Source | undefined
  const sourceOf = (index: number): Source => {
    if (text.length > MAX_POSITIONS_LENGTH) return flatSource(file, lineOfItem(text, index))
    source ??= parseText(text, file, 'json').definition.source
    return within(source, [index])
  }
  return { records: value.map((data, position) => ({ data, position })), faults: new Faults(), sourceOf }
}

/** The line where an object of a JSON list of objects begins. */
function lineOfItem(text: string, index: number): number {
  let line = 1
  let depth = 0
  let items = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}\n]/g)) {
    if (token === '\n') line++
    else if (token === '}' || token === ']') depth--
    else if ((token === '{' || token === '[') && ++depth === 2 && items++ === index) return line
  }
  return 1
}

const isUsual = (value: unknown): boolean => isObject(value) && !Object.hasOwn(value, '__proto__')

async function* readLines(
  { path, file }: SeedFile,
  format: 'csv' | 'ndjson',
  model: Model,
  { maxRecordBytes, faults }: { readonly maxRecordBytes: number; readonly faults: Faults },
): AsyncGenerator<SeedRecord> {
  if (await isNoFile(path)) return faults.add(flatSource(file), [], NOT_A_FILE)
  try {
    for await (const { data, line = 1, problems } of readRows(format, createReadStream(path), model, { maxRecordBytes })) {
      for (const { message } of problems) faults.add(flatSource(file, line), [], message)
      if (faults.list.length >= MAX_NAMED)
        return faults.add(flatSource(file, line), [], 'Further faults of the file are not shown')
      if (problems.length === 0) yield { data, position: line }
    }
  } catch (error) {
    faults.add(flatSource(file), [], error instanceof AppError ? error.message : unreadable(error))
  }
}
