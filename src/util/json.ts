/** Any value that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** How deep a value may be nested: deeper than anybody means it, and far from where a stack overflows. */
export const MAX_JSON_DEPTH = 32

/** True for `{…}`: not null, not an array, not a class instance from elsewhere. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
