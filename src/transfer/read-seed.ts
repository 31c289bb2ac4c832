import { extname } from 'node:path'
import { Faults } from '../config/fault.ts'
import { readTextFile, type SeedFile } from '../config/project-files.ts'
import { flatSource, type Source, within } from '../config/source.ts'
import { parseText } from '../config/text-source.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { isObject } from '../util/json.ts'
import { readCsv } from './row-reader.ts'

/** A record of a seed file with its position. */
export interface SeedRecord {
  readonly data: Readonly<Record<string, unknown>>
  readonly source: Source
}

/** Reads the records of a seed file: a list in YAML or JSON, one record a line in NDJSON, a table in CSV. */
export async function readSeed({ path, file }: SeedFile, model: Model): Promise<{ records: SeedRecord[]; faults: Faults }> {
  const faults = new Faults()
  const content = await readTextFile(path, file, faults)
  if (content === undefined) return { records: [], faults }
  const text = content.replace(/^\uFEFF/, '')
  switch (extname(path)) {
    case '.csv':
      return readTable(text, file, model)
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
    if (!faults.any) faults.add(source, [], 'A seed file must contain a list of records')
    return { records: [], faults }
  }
  return { records: value.flatMap((data, index) => recordsOf(data, within(source, [index]), faults)), faults }
}

function readNdjson(text: string, file: string): { records: SeedRecord[]; faults: Faults } {
  const faults = new Faults()
  const records = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const source = flatSource(file, index + 1)
    try {
      return recordsOf(JSON.parse(line), source, faults)
    } catch (error) {
      faults.add(source, [], `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
      return []
    }
  })
  return { records, faults }
}

async function readTable(text: string, file: string, model: Model): Promise<{ records: SeedRecord[]; faults: Faults }> {
  const faults = new Faults()
  const records: SeedRecord[] = []
  try {
    for await (const { data, line, problems } of readCsv([text], model)) {
      const source = flatSource(file, line)
      for (const { message } of problems) faults.add(source, [], message)
      if (problems.length === 0) records.push({ data, source })
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    faults.add(flatSource(file), [], error.message)
  }
  return { records, faults }
}

function recordsOf(data: unknown, source: Source, faults: Faults): SeedRecord[] {
  if (isObject(data)) return [{ data, source }]
  faults.add(source, [], 'A record must map field names to values')
  return []
}
