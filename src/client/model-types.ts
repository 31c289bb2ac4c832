/** What is known of a model at compile time: a member of `All_Models`, which `admin types` writes. */
export interface ModelTypes {
  readonly record: { readonly id: number }
  readonly create: object
  readonly update: object
  readonly forms: object
  readonly filter: string
  readonly column: string
  readonly include: string
  readonly sortKey: string
  readonly searched: string
}

type Values = Readonly<Record<string, unknown>>

/** A model of which nothing is known. */
export interface AnyModel extends ModelTypes {
  readonly record: { readonly id: number; readonly [field: string]: unknown }
  readonly create: Values
  readonly update: Values
  readonly forms: Readonly<Record<string, { readonly create: Values; readonly update: Values }>>
}

/** Models of which nothing is known. */
export type AnyModels = Readonly<Record<string, AnyModel>>

export type FormName<M extends ModelTypes> = keyof M['forms'] & string

/** What a form takes, or the model itself without one. */
export type Input<M extends ModelTypes, Form extends FormName<M> | undefined, Action extends 'create' | 'update'> =
  Form extends FormName<M>
    ? M['forms'][Form] extends Readonly<Record<Action, infer Taken extends object>>
      ? Taken
      : never
    : M[Action]
