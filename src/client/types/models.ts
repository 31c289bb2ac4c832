/** The types of one model: a member of `All_Models`, which `admin types` generates. */
export interface ModelTypes {
  /** A record as the API returns it. */
  readonly record: { readonly id: number }
  /** The data to create a record without a form. */
  readonly create: object
  /** The data to update a record without a form. */
  readonly update: object
  /** The data to create and update a record, by form. */
  readonly forms: object
  /** Filters: `title__icontains=${string}`. */
  readonly filter: string
  /** Fields that `fields` may name. */
  readonly column: string
  /** Fields of related records that `include` may name: `author__name`. */
  readonly include: string
  /** Fields to sort by. */
  readonly sortKey: string
  /** Searchable fields. */
  readonly searched: string
}

type Values = Readonly<Record<string, unknown>>

/** The types of a model without generated types. */
export interface AnyModel extends ModelTypes {
  readonly record: { readonly id: number; readonly [field: string]: unknown }
  readonly create: Values
  readonly update: Values
  readonly forms: Readonly<Record<string, { readonly create: Values; readonly update: Values }>>
}

/** The types of a project without generated types. */
export type AnyModels = Readonly<Record<string, AnyModel>>

/** The names of a model's forms. */
export type FormName<M extends ModelTypes> = keyof M['forms'] & string

/** The data that a form accepts, or the model without a form. */
export type Input<M extends ModelTypes, Form extends FormName<M> | undefined, Action extends 'create' | 'update'> =
  Form extends FormName<M>
    ? M['forms'][Form] extends Readonly<Record<Action, infer Taken extends object>>
      ? Taken
      : never
    : M[Action]
