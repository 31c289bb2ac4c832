import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import readWorkbook, {
  InvalidInputError,
  InvalidSpreadsheetError,
  readSheet,
  SheetNotFoundError,
} from 'read-excel-file/universal'
import { parse, YAMLParseError } from 'yaml'
import { type SheetCell, sheetOfRecords, sheetRows, sheetText } from '../client/sheet.ts'
import { AppError } from '../errors.ts'
import type { Io } from './io.ts'

type Cells = readonly (readonly SheetCell[])[]

/** True for the name of a workbook. */
export const isWorkbook = (name: string): boolean => extname(name).toLowerCase() === '.xlsx'

/**
 * Reads a sheet of a workbook as NDJSON.
 *
 * @param sheet the first one with records when absent; its name is written to stderr if it is not the first of all
 * @throws {AppError} TASK_FAILED for a file that is no workbook, USAGE for a sheet that it does not have
 */
export async function workbookText(
  { cwd, stderr }: Pick<Io, 'cwd' | 'stderr'>,
  name: string,
  sheet: string | undefined,
): Promise<string> {
  const content = new Blob([new Uint8Array(await readFile(resolve(cwd, name)))])
  try {
    if (sheet !== undefined) return sheetText((await readSheet(content, sheet, { trim: false })) as unknown as Cells)
    const sheets = (await readWorkbook(content, { trim: false })).map((each) => {
      const rows = sheetRows(each.data as unknown as Cells)
      return { name: each.sheet, headers: rows?.names ?? [], lines: rows?.lines ?? [], rows }
    })
    const found = sheetOfRecords(sheets)
    if (found !== undefined && found !== sheets[0]) stderr.write(`Reads the sheet '${found.name}'; --sheet names another\n`)
    return found?.rows?.text() ?? ''
  } catch (error) {
    if (error instanceof SheetNotFoundError) throw new AppError('USAGE', `${name} has no sheet '${sheet}'`)
    if (!(error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError)) throw error
    throw new AppError('TASK_FAILED', `${name} is no XLSX workbook that can be read: save it again as .xlsx, or as .csv`)
  }
}

/**
 * Reads the file of `--map`, in YAML or JSON.
 *
 * @throws {AppError} TASK_FAILED for a file that cannot be read
 */
export async function readMapFile(folder: string, name: string): Promise<unknown> {
  try {
    return parse(await readFile(resolve(folder, name), 'utf8'))
  } catch (error) {
    if (!(error instanceof YAMLParseError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw new AppError('TASK_FAILED', `${name} cannot be read: ${(error as Error).message}`)
  }
}
