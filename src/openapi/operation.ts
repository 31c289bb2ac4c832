import type { Schema } from './schema.ts'

/** Reference Object. */
export interface Reference {
  readonly $ref: string
}

/** Parameter Object: a query parameter, a path parameter or a request header. */
export interface ParameterObject {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description?: string
  readonly required?: boolean
  readonly schema: Schema
  readonly style?: 'form' | 'simple'
  /** True for a parameter that is repeated. */
  readonly explode?: boolean
  readonly example?: unknown
}

export interface Header {
  readonly description: string
  readonly schema: Schema
}

export type ContentObject = Readonly<Record<string, { readonly schema: Schema }>>

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: ContentObject
}

export interface RequestBody {
  readonly required: boolean
  readonly content: ContentObject
}

/** Operation Object (OpenAPI 3.1). */
export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  /** An empty list for operations without a token; absent means the security of the document. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (ParameterObject | Reference)[]
  readonly requestBody?: RequestBody | Reference
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Operations by method. */
export type PathItem = Readonly<Partial<Record<Method, OperationObject>>>

/** Path items by path, relative to the base path of the server. */
export type Paths = Readonly<Record<string, PathItem>>

/** The members of an OpenAPI 3.1 document that are used here. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string }
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Paths
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, ParameterObject>>
    readonly requestBodies: Readonly<Record<string, RequestBody>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
}

/** A JSON body of the given schema. */
export const jsonContent = (schema: Schema): ContentObject => ({ 'application/json': { schema } })

/** A required request body. */
export const body = (content: ContentObject) => ({ required: true, content }) as const

/** Security of operations that need no token. */
export const OPEN = [] as const

/** Security of operations that take an optional token. */
export const TOKEN_OPTIONAL = [{}, { bearer: [] }] as const

/** Security of operations that take the refresh token from a cookie or from the body. */
export const COOKIE_OPTIONAL = [{}, { refreshCookie: [] }] as const

/** Security of files: a token, the cookie of a login, a signed link, or nothing where everyone may view the model. */
export const FILE_ACCESS = [{}, { bearer: [] }, { filesCookie: [] }] as const

/** An update by PUT, and the same by PATCH. */
export const withPatch = (operation: OperationObject): { readonly put: OperationObject; readonly patch: OperationObject } => ({
  put: operation,
  patch: {
    ...operation,
    operationId: operation.operationId.replace(/[uU]pdate/, (word) => (word === 'update' ? 'patch' : 'Patch')),
    summary: `${operation.summary}, as PUT does`,
    description: 'The same as PUT.',
  },
})
