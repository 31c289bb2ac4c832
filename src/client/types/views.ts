import type { CallOptions } from './calls.ts'

/** A view, as the Views API returns it. */
export interface View {
  readonly name: string
  readonly view_type: 'form' | 'list'
  readonly model: string
  /** True for a view that the server generated, since the model has none of this type. */
  readonly generated?: true
  readonly fields: readonly Readonly<Record<string, unknown>>[]
  /** Fields that the form accepts when it creates a record; absent if the form does not limit them. */
  readonly creation_fields?: readonly string[]
  /** Fields that the form accepts when it updates a record; absent if the form does not limit them. */
  readonly allowed_update_fields?: readonly string[]
}

/** Options of the methods that return views. */
export interface ViewOptions extends CallOptions {
  /** Adds a generated form or list for each model that has none. */
  readonly generated?: boolean | undefined
}
