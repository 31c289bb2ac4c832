import type { Actor } from '../auth/permissions.ts'
import type { Registry } from '../model/registry.ts'
import { MEDIA_TYPES } from '../query/formats.ts'
import { parseExportRequest } from '../query/parse.ts'
import { modelFor } from '../service/model-access.ts'
import { checkFilters } from '../service/queries/visibility.ts'
import type { Store, StoredRecord } from '../store/store.ts'
import { writeFile } from './write.ts'

/** A file that is made while it is read. */
export interface ExportedFile {
  readonly name: string
  readonly mediaType: string
  /** Its text. Fails when it cannot be made whole; it never just ends. */
  readonly text: AsyncIterable<string>
}

/** Writes records into files on somebody's behalf: what is stored of them, without secrets, related records by their ids. */
export class Exports {
  readonly #registry: Registry
  readonly #store: Store

  constructor(registry: Registry, store: Store) {
    this.#registry = registry
    this.#store = store
  }

  /**
   * All matching records, as they are at this moment, however long they take to be read.
   *
   * @param query as it was sent, without the question mark
   * @throws {AppError} MODEL_NOT_FOUND, FORBIDDEN, INVALID_REQUEST
   */
  async open(actor: Actor, modelKey: string, query: string): Promise<ExportedFile> {
    const model = modelFor(this.#registry, actor, 'view', modelKey)
    const { format, bom, filters, sort, fields } = parseExportRequest(new URLSearchParams(query), model, this.#registry)
    checkFilters(this.#registry, actor, filters)
    // Which records these are is decided with the first batch: from here on nothing changes any more, and little can fail.
    const batches = this.#store.stream(model.key, { filters, sort })[Symbol.asyncIterator]()
    const records = resumed(await batches.next(), batches)
    return { name: `${model.key}.${format}`, mediaType: MEDIA_TYPES[format], text: writeFile(format, fields, records, bom) }
  }
}

/** An iteration of which the first batch was taken already. */
async function* resumed(
  first: IteratorResult<readonly StoredRecord[]>,
  rest: AsyncIterator<readonly StoredRecord[]>,
): AsyncGenerator<readonly StoredRecord[]> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    // Also for readers who leave before the end.
    await rest.return?.()
  }
}
