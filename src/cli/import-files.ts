import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { InvalidInputError, InvalidSpreadsheetError, readSheet, SheetNotFoundError } from 'read-excel-file/universal'
import { parse, YAMLParseError } from 'yaml'
import { type SheetCell, sheetText } from '../client/sheet.ts'
import { AppError } from '../errors.ts'

/** True for the name of a workbook. */
export const isWorkbook = (name: string): boolean => extname(name).toLowerCase() === '.xlsx'

/**
 * Reads a sheet of a workbook as NDJSON.
 *
 * @param sheet the first one when absent
 * @throws {AppError} TASK_FAILED for a file that is no workbook, USAGE for a sheet that it does not have
 */
export async function workbookText(folder: string, name: string, sheet: string | undefined): Promise<string> {
  const bytes = await readFile(resolve(folder, name))
  try {
    const rows = await readSheet(new Blob([new Uint8Array(bytes)]), ...(sheet === undefined ? [] : [sheet]), { trim: false })
    return sheetText(rows as unknown as readonly (readonly SheetCell[])[])
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
