import readWorkbook from 'read-excel-file/web-worker'
import { columnLetters, type SheetCell, sheetRows } from '../../client/sheet.ts'
import type { ReadSheet, WorkbookReply, WorkbookRequest } from './workbook.ts'

// Runs in a worker: reading 50,000 rows takes seconds, in which the page would not react.
self.onmessage = async ({ data }: MessageEvent<WorkbookRequest>) => {
  // The options of Window are declared; those of a worker take the same.
  const answer = (reply: WorkbookReply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer })
  try {
    const found = await readWorkbook(data.file, { trim: false })
    const sheets = found.map((each) => sheetOf(each as unknown as FoundSheet, data.firstRows))
    answer(
      { sheets },
      sheets.map(({ content }) => content.buffer),
    )
  } catch {
    answer({ sheets: undefined })
  }
}

interface FoundSheet {
  readonly sheet: string
  readonly data: readonly (readonly SheetCell[])[]
}

function sheetOf({ sheet, data }: FoundSheet, firstRows: number): ReadSheet {
  const rows = sheetRows(data)
  if (rows === undefined) return { name: sheet, headers: [], keys: [], lines: [], first: '', content: new Uint8Array() }
  const { names, lines, text } = rows
  // Short keys, since each row repeats them.
  const keys = names.map((_, index) => columnLetters(index))
  return {
    name: sheet,
    headers: names,
    keys,
    lines,
    first: text(names, firstRows),
    content: new TextEncoder().encode(text(keys)),
  }
}
