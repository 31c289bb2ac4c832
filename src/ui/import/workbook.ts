import { LoadFailure } from '../load-failure.ts'
import workerAddress from './workbook-worker.ts?worker&url'

/** What the worker is asked. */
export interface WorkbookRequest {
  readonly file: Blob
  /** Number of rows of `first`. */
  readonly firstRows: number
}

/** What the worker answers; undefined for a file that it cannot read. */
export interface WorkbookReply {
  readonly sheets: readonly ReadSheet[] | undefined
}

/** A sheet of a workbook as NDJSON. Its lines are the rows of the sheet. */
export interface ReadSheet {
  readonly name: string
  readonly headers: readonly string[]
  /** The names of the columns in `content`. */
  readonly keys: readonly string[]
  /** The row of the sheet that each record is. */
  readonly lines: readonly number[]
  /** The first rows, by the headers. */
  readonly first: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** Reads the sheets of a workbook, in a worker that is loaded for it. @returns undefined for a file that is no workbook, or is damaged */
export function readSheets(request: WorkbookRequest): Promise<readonly ReadSheet[] | undefined> {
  const worker = startWorker()
  return new Promise<readonly ReadSheet[] | undefined>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<WorkbookReply>) => resolve(data.sheets)
    // A worker whose code cannot be loaded has no message.
    worker.onerror = ({ message }) =>
      reject(message ? new Error(message) : new LoadFailure('The reader of workbooks cannot be loaded'))
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}

/** https://www.w3.org/TR/trusted-types: not every browser has them. */
interface TrustedTypesWindow {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(input: string): string }
  }
}

/** The only policy that the content security policy of the page allows. It makes no address but that of the worker. */
const policy = (globalThis as TrustedTypesWindow).trustedTypes?.createPolicy('workbook-worker', {
  createScriptURL: () => workerAddress,
})

const startWorker = (): Worker => new Worker(policy?.createScriptURL('') ?? workerAddress)
