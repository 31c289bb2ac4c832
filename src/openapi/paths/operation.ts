import type { Schema } from '../schemas/schema.ts'

/** A reference, such as to a shared response. */
export interface Reference {
  readonly $ref: string
}

/** A query parameter, a path parameter or a header of a request. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
  readonly style?: 'form' | 'simple'
  /** False for values between commas. */
  readonly explode?: boolean
  readonly example?: unknown
}

export interface Header {
  readonly description: string
  readonly schema: Schema
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Content
}

/** One thing that can be asked of the API (OpenAPI 3.1, Operation Object). */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  /** Empty where no token is needed; that of the document where it is absent. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export type Method = 'get' | 'post' | 'put' | 'delete'

/** Operations by method. */
export type PathItem = Readonly<Partial<Record<Method, Operation>>>

/** Path items by path, which is relative to the base path of the server. */
export type Paths = Readonly<Record<string, PathItem>>

/** JSON of some shape. */
export const json = (schema: Schema): Content => ({ 'application/json': { schema } })

/** A body without which there is nothing to do. */
export const body = (content: Content) => ({ required: true, content }) as const

/** What anybody may ask for. */
export const OPEN = [] as const

/** What is asked for as well with a token as without. */
export const TOKEN_OPTIONAL = [{}, { bearer: [] }] as const
