/**
 * A value, or a promise of it; callers avoid an `await` when it is a value. An unneeded promise costs about 0.1 µs, and a write
 * passes through dozens of functions.
 */
export type MaybePromise<T> = T | Promise<T>
