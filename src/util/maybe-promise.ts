/** A value, or a promise of it. Callers avoid an `await` when it is a value. */
export type MaybePromise<T> = T | Promise<T>
