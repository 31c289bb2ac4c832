/**
 * What may be there at once. Whoever takes it looks before they wait: each promise that waits for nothing costs a quarter of a
 * microsecond, and a write passes through dozens of functions.
 */
export type Soon<T> = T | Promise<T>
