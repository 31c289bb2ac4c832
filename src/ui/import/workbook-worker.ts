import { unzipSync, zipSync } from 'fflate'
import readWorkbook from 'read-excel-file/web-worker'
import { columnLetters, type SheetCell, sheetRows } from '../../client/sheet.ts'
import type { ReadSheet, WorkbookReply, WorkbookRequest } from './workbook.ts'

// Runs in a worker: reading 50,000 rows takes seconds, in which the page would not react.
self.onmessage = async ({ data }: MessageEvent<WorkbookRequest>) => {
  // The options of Window are declared; those of a worker take the same.
  const answer = (reply: WorkbookReply, transfer: Transferable[] = []) => self.postMessage(reply, { transfer })
  try {
    const found = await readWorkbook(await unpacked(data.file), { trim: false })
    const sheets = found.map((each) => sheetOf(each as unknown as FoundSheet, data.firstRows))
    answer(
      { sheets },
      sheets.map(({ content }) => content.buffer),
    )
  } catch {
    answer({ sheets: undefined })
  }
}

/**
 * The workbook without compression. The reader would unpack large parts in a worker of its own, made from a text, which the content security policy
 * forbids.
 */
async function unpacked(file: Blob): Promise<Blob> {
  const parts = unzipSync(new Uint8Array(await file.arrayBuffer()), { filter: ({ name }) => /\.(?:xml|rels)$/i.test(name) })
  return new Blob([zipSync(parts, { level: 0 })])
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
