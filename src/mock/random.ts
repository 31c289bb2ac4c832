import { createHash } from 'node:crypto'
import type { Faker, Randomizer } from '@faker-js/faker'
import { AppError } from '../errors.ts'
import { meantOrKnown } from '../util/suggest.ts'

/**
 * Pseudo-random numbers derived from a key only. Each value has its own key, so it does not depend on values generated before.
 *
 * SHA-256 spreads similar keys; sfc32 generates the numbers (Doty-Humphrey, PractRand). Seeding Faker's own generator takes 20
 * times as long as generating a value.
 */
export class KeyedRandom implements Randomizer {
  #a = 0
  #b = 0
  #c = 0
  #count = 0

  /** Starts the sequence of a key. */
  start(key: string): void {
    const digest = createHash('sha256').update(key).digest()
    this.#a = digest.readInt32LE(0)
    this.#b = digest.readInt32LE(4)
    this.#c = digest.readInt32LE(8)
    this.#count = digest.readInt32LE(12)
  }

  /** A number in [0, 1). Bound, since Faker detaches it from the object. */
  readonly next = (): number => {
    const sum = (this.#a + this.#b + this.#count) | 0
    this.#count = (this.#count + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4_294_967_296
  }

  /** Required by Faker's interface; never called here. */
  seed(seed: number | number[]): void {
    this.start(String(seed))
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A random item of a non-empty array. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(0, items.length - 1)]
    if (item === undefined) throw new Error('Cannot pick from an empty array')
    return item
  }
}

/** Default language of mock data. */
export const DEFAULT_LOCALE = 'en'

/** The reference date of mock data, fixed so that a seed gives the same dates on any day. */
export const REFERENCE_TIME = Date.parse('2025-06-01T00:00:00.000Z')

/** Faker and its source of random numbers. */
export interface FakerSource {
  readonly faker: Faker
  readonly random: KeyedRandom
}

/**
 * Loads Faker in one language, with English as fallback. Loaded on first use, since each language is large.
 *
 * @throws {AppError} USAGE when there is no such language
 */
export async function loadFaker(locale: string = DEFAULT_LOCALE): Promise<FakerSource> {
  const { faker: localised } = await importLocale(locale)
  const random = new KeyedRandom()
  // Faker exports the class itself only together with all languages, which take ten times as long to load.
  const { constructor: Constructor } = localised as unknown as { constructor: typeof Faker }
  const faker = new Constructor({ locale: localised.rawDefinitions, randomizer: random })
  faker.setDefaultRefDate(REFERENCE_TIME)
  return { faker, random }
}

async function importLocale(locale: string): Promise<{ readonly faker: Faker }> {
  // `base` holds what all languages share; it is not a language.
  if (locale === 'base' || !/^[a-zA-Z_]{2,20}$/.test(locale)) throw await noSuchLocale(locale)
  try {
    return (await import(`@faker-js/faker/locale/${locale}`)) as { readonly faker: Faker }
  } catch {
    throw await noSuchLocale(locale)
  }
}

async function noSuchLocale(locale: string): Promise<AppError> {
  const { allLocales } = await import('@faker-js/faker')
  return new AppError(
    'USAGE',
    `There is no locale '${locale}'${meantOrKnown(
      locale,
      Object.keys(allLocales)
        .filter((each) => each !== 'base')
        .sort(),
    )}`,
  )
}
