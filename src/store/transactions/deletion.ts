import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { STEP, type Steps } from '../../util/slices.ts'
import { referencesOf } from '../references.ts'
import type { Violation } from '../store.ts'
import type { TransactionOverlay } from './transaction-overlay.ts'

/**
 * Stages the deletion of a record and applies `on_delete` to the records that refer to it: `cascade` deletes them, `set_null`
 * empties the reference, links of many-to-many fields are removed. `restrict` is checked at the end of the transaction
 * (`restrictViolations`), when all deletions are known.
 *
 * A step deletes one record, or changes some of those that refer to it.
 *
 * @param index the operation of the transaction, to which the changes belong
 */
export function* deleteRecord(
  overlay: TransactionOverlay,
  registry: Registry,
  { table, id }: { readonly table: string; readonly id: number },
  index: number,
): Steps<void> {
  const deletions = [{ table, id }]
  for (const deletion of deletions) {
    if (overlay.current(deletion.table, deletion.id) === undefined) continue
    overlay.put(deletion.table, deletion.id, undefined, index)
    for (const { model, field } of registry.referrersOf(deletion.table)) {
      const { kind, onDelete } = field.relation
      if (kind !== 'many' && onDelete === 'restrict') continue
      for (const [count, referrer] of overlay.referrersTo(model.key, field.name, deletion.id).entries()) {
        if (count % STEP === STEP - 1) yield
        if (kind === 'many') {
          const links = referencesOf(referrer, field.name).filter((link) => link !== deletion.id)
          overlay.put(model.key, referrer.id, { ...referrer, [field.name]: links }, index)
        } else if (onDelete === 'set_null') {
          overlay.put(model.key, referrer.id, { ...referrer, [field.name]: null }, index)
        } else if (onDelete === 'cascade') {
          deletions.push({ table: model.key, id: referrer.id })
        }
      }
    }
    if (deletions.length > 1) yield
  }
}

/** The references with `on_delete: restrict` that forbid the deletion of a record. */
export function restrictViolations(
  overlay: TransactionOverlay,
  registry: Registry,
  model: Model,
  id: number,
  index: number,
): Violation[] {
  return registry.referrersOf(model.key).flatMap(({ model: referrer, field }) => {
    if (field.relation.kind === 'many' || field.relation.onDelete !== 'restrict') return []
    const count = overlay.countReferrersTo(referrer.key, field.name, id)
    return count === 0 ? [] : [{ kind: 'restrict', index, id, table: referrer.key, field: field.name, count }]
  })
}
