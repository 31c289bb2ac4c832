import type { Faker } from '@faker-js/faker'
import { AppError } from '../errors.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { KeyedRandom } from './keyed-random.ts'

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
