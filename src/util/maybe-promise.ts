/**
 * What may be there at once. Whoever takes it looks before they wait: a promise that waits for nothing costs a tenth of a
 * microsecond and some memory, and a write passes through dozens of functions.
 */
export type MaybePromise<T> = T | Promise<T>
