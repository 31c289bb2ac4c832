import type { Field } from '../../model/field.ts'
import { FILE_TABLE, filesIn, rowOfFileId, type StoredFile } from '../../model/files.ts'
import type { Model } from '../../model/model.ts'
import { isoTime, systemClock } from '../../util/clock.ts'
import type { JsonObject } from '../../util/json.ts'
import { isSameValue, type StoredRecord, type Violation } from '../store.ts'
import { type Staged, setterOf, type TransactionOverlay } from './overlay.ts'

/**
 * Derives from the changes of a transaction which files records get and give up, and stages the rows of the registry. A file that a record keeps,
 * at whichever place of its list, changes no row.
 */
export class FileMoves {
  readonly #overlay: TransactionOverlay
  readonly violations: Violation[] = []
  #at: string | undefined

  /** @param at the time of releases; now when undefined */
  constructor(overlay: TransactionOverlay, at: string | undefined) {
    this.#overlay = overlay
    this.#at = at
  }

  /** Moves the files of a record that the transaction creates, changes or removes. */
  of(model: Model, id: number, staged: Staged): void {
    const before = this.#overlay.table(model.key).get(id)
    const { after, index } = staged
    for (const field of model.fileFields) {
      const { name } = field
      const [was, is] = [before?.[name] ?? null, after?.[name] ?? null]
      if (isSameValue(was, is)) continue
      const former = new Map(filesIn(was).map((file) => [file.id, file]))
      const present = new Set<string>()
      for (const file of filesIn(is)) {
        const kept = former.get(file.id)
        const isRight = kept === undefined ? this.#attach(model, field, id, file, index) : kept.sha256 === file.sha256
        if (!isRight || present.has(file.id))
          this.violations.push({ kind: 'file', index: setterOf(staged, name) ?? index, field: name, file: file.id })
        present.add(file.id)
      }
      for (const file of former.values()) if (!present.has(file.id)) this.#release(model, field, id, file, index)
    }
  }

  /** @returns false if the record may not have the file */
  #attach(model: Model, field: Field, id: number, file: StoredFile, index: number): boolean {
    const row = this.#rowOf(model, field, file)
    if (row === undefined || row.sha256 !== file.sha256) return false
    const [owner, released] = [row.record_id ?? null, row.released_at ?? null]
    if (owner === null ? released !== null : owner !== id) return false
    if (owner === null || released !== null)
      this.#overlay.put(FILE_TABLE, row.id, { ...row, record_id: id, released_at: null }, index)
    return true
  }

  #release(model: Model, field: Field, id: number, file: StoredFile, index: number): void {
    const row = this.#rowOf(model, field, file)
    if (row === undefined || row.record_id !== id || (row.released_at ?? null) !== null) return
    this.#at ??= isoTime(systemClock())
    this.#overlay.put(FILE_TABLE, row.id, { ...row, released_at: this.#at }, index)
  }

  /** The row of a file of this field. */
  #rowOf({ key }: Model, { name }: Field, { id }: StoredFile): StoredRecord | undefined {
    const place = rowOfFileId(id)
    const row = place && this.#overlay.current(FILE_TABLE, place.row)
    return row?.token === place?.token && row?.model === key && row.field === name ? row : undefined
  }
}

/** True if a record has a file. */
export const hasFiles = ({ fileFields }: Model, record: JsonObject): boolean =>
  fileFields.some(({ name }) => filesIn(record[name]).length > 0)

/** True if a change of a record may give it files, or take some from it. */
export const movesFiles = (model: Model, before: StoredRecord, after: StoredRecord | undefined): boolean =>
  after === undefined
    ? hasFiles(model, before)
    : model.fileFields.some(({ name }) => !isSameValue(before[name] ?? null, after[name] ?? null))
