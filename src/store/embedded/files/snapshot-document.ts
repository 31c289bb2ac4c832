import { AppError } from '../../../errors.ts'
import { isObject } from '../../../util/json.ts'
import { duplicateKey } from '../../../util/strict-json.ts'
import { FORMAT, type SnapshotPart } from './snapshot-lines.ts'

/** The items of a table in a file of any layout, not validated yet. */
export interface DocumentTable {
  readonly nextId: number
  readonly records: readonly unknown[]
}

/** A data file parsed as a whole. */
export interface SnapshotDocument {
  readonly sequence: number
  readonly journal: string | undefined
  readonly tables: Readonly<Record<string, DocumentTable>>
}

const MEMBERS = ['format', 'sequence', 'journal', 'tables', 'checksum']
const TABLE_MEMBERS = ['next_id', 'records']

/**
 * Parses a data file of any layout. Members that a rewrite would lose are errors.
 *
 * @throws {AppError} DATA_CORRUPT naming the place
 */
export async function parseDocument(text: string, path: string): Promise<SnapshotDocument> {
  const corrupt = (reason: string) =>
    new AppError('DATA_CORRUPT', `${path} cannot be read: ${reason}. Restore it from a backup, or correct it by hand`)
  const document = await parseJson(text.replace(/^\uFEFF/, ''), corrupt)
  if (!isObject(document) || document.format !== FORMAT || !isObject(document.tables)) {
    throw corrupt(`it is not a data file of format ${FORMAT}`)
  }
  const twice = await duplicateKey(text, document)
  if (twice !== undefined) throw corrupt(`line ${twice.line}: the key ${JSON.stringify(twice.key)} occurs twice`)
  rejectUnknownMembers(document, MEMBERS, '', corrupt)
  const tables = Object.entries(document.tables).map(([name, table]): [string, DocumentTable] => {
    if (!isObject(table) || !Array.isArray(table.records)) throw corrupt(`tables.${name}.records is not an array`)
    rejectUnknownMembers(table, TABLE_MEMBERS, `tables.${name}.`, corrupt)
    return [name, { nextId: numberOr(table.next_id, 1), records: table.records }]
  })
  const { sequence, journal } = document
  return {
    sequence: numberOr(sequence, 0),
    journal: typeof journal === 'string' ? journal : undefined,
    tables: Object.fromEntries(tables),
  }
}

/** Maximum number of records in a part, so that their text does not exceed the maximum string length. */
const RECORDS_PER_PART = 1000

/** Tables as parts of a snapshot, which can be iterated repeatedly. */
export function partsOf(tables: SnapshotDocument['tables']): AsyncIterable<SnapshotPart> {
  return {
    async *[Symbol.asyncIterator]() {
      for (const [name, { nextId, records }] of Object.entries(tables)) {
        yield { kind: 'table', name, nextId }
        for (let from = 0; from < records.length; from += RECORDS_PER_PART) {
          yield { kind: 'records', records: records.slice(from, from + RECORDS_PER_PART) }
        }
      }
    },
  }
}

function rejectUnknownMembers(
  value: object,
  known: readonly string[],
  path: string,
  corrupt: (reason: string) => AppError,
): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw corrupt(`${path}${unknown} is not a member of a data file, so it would be lost`)
}

const numberOr = (value: unknown, otherwise: number): number =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : otherwise

async function parseJson(text: string, corrupt: (reason: string) => AppError): Promise<unknown> {
  if (text.trim() === '') throw corrupt('it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw corrupt((await describeSyntaxError(text)) ?? (error instanceof Error ? error.message : String(error)))
  }
}

/** Messages for the error codes of jsonc-parser. */
const SYNTAX_ERRORS: Readonly<Record<number, string>> = {
  1: 'this is not JSON',
  2: 'a number is not valid JSON',
  3: 'a key in double quotes is missing',
  4: 'a value is missing',
  5: 'a colon is missing',
  6: 'a comma is missing',
  7: 'a closing brace is missing',
  8: 'a closing bracket is missing',
  9: 'text follows the end of the document',
  10: 'JSON does not allow comments',
  11: 'a comment is not closed',
  12: 'a string lacks its closing double quote',
  13: 'a number is incomplete',
  14: 'a \\u must be followed by four hexadecimal digits',
  15: 'a backslash is followed by a character that JSON does not allow there',
  16: 'a string contains a control character that must be escaped',
}

/** Describes the first JSON syntax error, with its position. */
async function describeSyntaxError(text: string): Promise<string | undefined> {
  // Rarely needed, so it is not loaded at start.
  const { visit } = await import('jsonc-parser')
  let fault: string | undefined
  visit(
    text,
    {
      onError(code, _offset, _length, line, character) {
        fault ??= `line ${line + 1}, column ${character + 1}: ${SYNTAX_ERRORS[code] ?? 'it is not valid JSON'}`
      },
    },
    { disallowComments: true },
  )
  return fault
}
