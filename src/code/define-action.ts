import { markCallSite } from '../config/call-site.ts'
import type { RecordOf, WritableFieldName } from '../model/define.ts'
import type { FieldDefinition, ModelDefinition } from '../model/definition.ts'
import type { Access, Maybe, Patch, StoredValues, Tx } from './define.ts'
import type { InputOf } from './define-endpoint.ts'

/** Who may perform an action. */
export type ActionAccess = Exclude<Access, 'public'>

/** An action of a model, as written. */
export interface ActionDefinition {
  /** Class name of the model. */
  readonly model: string
  /** Lower case with underscores, such as `publish`. */
  readonly name: string
  readonly title?: string
  /** A name of Lucide, such as `send`. */
  readonly icon?: string
  readonly tone?: 'default' | 'danger'
  /** The question before it; `{count}` stands for the number of records. */
  readonly confirm?: string
  /** What it is performed on: one record, one or several (`selection`, the default), or none. */
  readonly on?: 'record' | 'selection' | 'model'
  /** The records that it is possible for: a condition over `self` and `user`, as those of `access`. */
  readonly when?: string
  /** Instead of the permission `<name>_<model>`. */
  readonly access?: ActionAccess
  readonly input?: readonly FieldDefinition[]
  /** Values by field: a value, what a default of the field may be (`now`, `today`, `uuid`, `{user: id}`), or `{input: name}`. */
  readonly set?: Readonly<Record<string, unknown>>
  /**
   * TypeScript and JavaScript only: does more, for up to 1,000 records, and may return a sentence for the user. It has no effects but through
   * `set` and `tx`, since it may run several times, and 30 s.
   */
  readonly run?: (work: never, tx: Tx) => unknown
}

/** What the code of an action of model `M` gets. */
export interface ActionWorkOf<M extends ModelDefinition, F extends readonly FieldDefinition[]> {
  readonly records: readonly StoredValues<RecordOf<M>>[]
  readonly input: InputOf<F>
  /** Sets fields of one of the records, or of all, by the right to the action. */
  readonly set: (values: Patch<M>, record?: { readonly id: number }) => void
}

/** Values that an action of model `M` sets. */
export type ActionValues<M extends ModelDefinition> = {
  readonly [F in WritableFieldName<M>]?: RecordOf<M>[F & keyof RecordOf<M>] | { readonly user: 'id' } | { readonly input: string }
}

/**
 * Defines an action of a model: what a button does with its records.
 *
 * @example export default defineAction(Post, { name: 'publish', when: 'self.status == "draft"', set: { status: 'published' } })
 */
export function defineAction<const M extends ModelDefinition, const F extends readonly FieldDefinition[] = readonly []>(
  model: M,
  action: Omit<ActionDefinition, 'model' | 'input' | 'set' | 'run'> & {
    readonly input?: F
    readonly set?: ActionValues<NoInfer<M>>
    readonly run?: (work: ActionWorkOf<NoInfer<M>, NoInfer<F>>, tx: Tx) => Maybe<string>
  },
): ActionDefinition {
  return markCallSite({ ...action, model: model.name } as ActionDefinition, defineAction)
}
