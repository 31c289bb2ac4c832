import type { StoredRecord } from '../../store.ts'

/** `xmin` of the rows from which records were read. */
const versions = new WeakMap<StoredRecord, string>()

/** Remembers the version of the row that a record was read from: its `xmin`, which every update of the row changes. */
export const rememberRowVersion = (record: StoredRecord, xmin: string): void => void versions.set(record, xmin)

/** The version of the row that a record was read from; undefined for a record from elsewhere. */
export const rowVersionOf = (record: StoredRecord): string | undefined => versions.get(record)
