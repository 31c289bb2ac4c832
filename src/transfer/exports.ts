import type { Actor } from '../auth/permissions.ts'
import { MEDIA_TYPES } from '../query/formats.ts'
import { parseExportRequest } from '../query/parse.ts'
import type { AccessRules } from '../service/access/access-rules.ts'
import { checkRelations } from '../service/queries/visibility.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { writeRows } from './row-writer.ts'

/** A file that is generated while it is read. */
export interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  /** The text. Iteration throws if the file cannot be completed; it never ends early. */
  readonly text: AsyncIterable<string>
  /** Ends an export that is not read to its end, and frees what it holds. An iteration that never began frees nothing by itself. */
  close(): Promise<void>
}

/** Exports records on behalf of an actor: stored values without secrets, relations as ids. */
export class Exports {
  readonly #access: AccessRules
  readonly #store: Store

  constructor(access: AccessRules, store: Store) {
    this.#access = access
    this.#store = store
  }

  /**
   * Opens an export of all matching records as of this moment, however long reading takes.
   *
   * @param query query string without the question mark
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async open(actor: Actor, modelKey: string, query: string): Promise<ExportedFile> {
    const model = this.#access.modelFor(actor, 'view', modelKey)
    const { format, bom, fields, filters, sort } = parseExportRequest(new URLSearchParams(query), model, this.#access.registry)
    checkRelations(this.#access, actor, { filters, sort })
    const plan = this.#access.restricted(actor, model, { filters, sort })
    // The first batch fixes the set of records, and most errors occur before it.
    const batches = this.#store.stream(model.key, plan)[Symbol.asyncIterator]()
    const records = resumed(await batches.next(), batches)
    return {
      name: `${model.key}.${format}`,
      mediaType: MEDIA_TYPES[format],
      text: writeRows(format, fields, records, bom),
      close: async () => void (await batches.return?.()),
    }
  }
}

/** Continues an iteration whose first batch was already taken. */
async function* resumed(
  first: IteratorResult<readonly StoredRecord[]>,
  rest: AsyncIterator<readonly StoredRecord[]>,
): AsyncGenerator<readonly StoredRecord[]> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // Also runs if the reader stops early.
    await rest.return?.()
  }
}
