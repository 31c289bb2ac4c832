import type { CallOptions, DryRun, FormName, Input, ModelTypes } from './types-calls.ts'

/** Stands for the id of the record of an earlier operation, by its `ref`. */
export interface BatchRef {
  readonly $ref: string
}

/** A value that may be the id of an earlier operation. */
type Referable<Value> =
  | Value
  | (number extends Value
      ? BatchRef
      : Value extends readonly (infer Item)[]
        ? number extends Item
          ? readonly (Item | BatchRef)[]
          : never
        : never)

/** Data in whose relations the id of an earlier operation may stand. */
type WithRefs<Data> = { readonly [Field in keyof Data]: Referable<Data[Field]> }

/** Data under one of the forms of a model, or under none. */
type Formed<M extends ModelTypes, Action extends 'create' | 'update'> =
  | { readonly form_id?: undefined; readonly data: WithRefs<M[Action]> }
  | { [F in FormName<M>]: { readonly form_id: F; readonly data: WithRefs<Input<M, F, Action>> } }[FormName<M>]

interface Referred {
  /** The name by which later operations refer to the record: `{ $ref: 'order' }`. */
  readonly ref?: string | undefined
}

interface Guarded {
  readonly id: number
  /** The `etag` of the record when it was read. If it has changed since, nothing is stored. */
  readonly if_match?: string | undefined
}

/** The operations of one model. */
type OperationOf<K extends string, M extends ModelTypes> =
  | ({ readonly method: 'create'; readonly model: K } & Referred & Formed<M, 'create'>)
  | ({ readonly method: 'update'; readonly model: K } & Referred & Guarded & Formed<M, 'update'>)
  | ({ readonly method: 'delete'; readonly model: K } & Guarded)

/** One operation of a batch. */
export type BatchOperation<Models> = {
  [K in keyof Models & string]: Models[K] extends ModelTypes ? OperationOf<K, Models[K]> : never
}[keyof Models & string]

/** The record of an operation. */
type RecordOf<Models, Operation> = Operation extends { readonly model: infer K extends keyof Models }
  ? Models[K] extends ModelTypes
    ? Models[K]['record']
    : never
  : never

/** The result of a batch. */
export interface Batched<Models, Operations extends readonly unknown[]> {
  /** The records in the order of the operations; a deleted one as it was. */
  readonly data: { -readonly [Index in keyof Operations]: RecordOf<Models, Operations[Index]> }
  readonly total: number
  /** With the option `etags`: the versions of the records, in their order, for `if_match`; null for a deleted one. */
  readonly etags?: readonly (string | null)[]
}

/** Options of a batch. */
export interface BatchOptions extends CallOptions, DryRun<boolean> {
  /** Also returns the versions of the records. */
  readonly etags?: boolean | undefined
}
