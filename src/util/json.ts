/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Maximum nesting depth of a JSON value: more than data needs, and far from a stack overflow. */
export const MAX_JSON_DEPTH = 32

/** True for `{…}`: not null, not an array, not a class instance from elsewhere. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
