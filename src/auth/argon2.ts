/** The functions of an argon2 library that are used here. Hashes are texts in the PHC string format. */
export interface Argon2 {
  hash(password: string, cost: Argon2Cost): Promise<string>
  /** @throws {Error} or returns false if the stored text is not a hash */
  verify(stored: string, password: string): Promise<boolean>
}

/** What a hash costs. */
export interface Argon2Cost {
  /** Memory in KiB. */
  readonly memoryCost: number
  /** Number of passes. */
  readonly timeCost: number
  /** Number of lanes. */
  readonly parallelism: number
}

/** A call of `Argon2` as plain data, which can be posted to another thread. */
export type Argon2Task =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: Argon2Cost }
  | { readonly kind: 'verify'; readonly password: string; readonly stored: string }
