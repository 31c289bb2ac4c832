import type { Faker } from '@faker-js/faker'
import { AppError } from '../errors.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { KeyedRandom } from './keyed-random.ts'

/** The language of mock data unless another is asked for. */
export const DEFAULT_LOCALE = 'en'

/** What mock data takes for today, so that the same seed gives the same dates on any day. */
export const REFERENCE_TIME = Date.parse('2025-06-01T00:00:00.000Z')

/** Faker, and the random numbers that it draws from. */
export interface Source {
  readonly faker: Faker
  readonly random: KeyedRandom
}

/**
 * Loads Faker in one language; what a language lacks comes from English. Each is a large library: this is asked for when a mock value
 * is wanted, and not at a start.
 *
 * @throws {AppError} USAGE when there is no such language
 */
export async function loadFaker(locale: string = DEFAULT_LOCALE): Promise<Source> {
  const { faker: made } = await importLocale(locale)
  const random = new KeyedRandom()
  // The class itself is only exported beside all languages, which take ten times as long to load.
  const { constructor: Constructor } = made as unknown as { constructor: typeof Faker }
  const faker = new Constructor({ locale: made.rawDefinitions, randomizer: random })
  faker.setDefaultRefDate(REFERENCE_TIME)
  return { faker, random }
}

async function importLocale(locale: string): Promise<{ readonly faker: Faker }> {
  // What all languages share is none.
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
