import { ACCOUNT_MODELS } from '../auth/account-models.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { Random } from '../util/ids.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, firstMessages, meantOrKnown } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import { DEFAULT_MOCK_COUNT, MAX_SEED } from './mocks.ts'

/** A request to create mock records. */
export interface FillRequest {
  readonly models: readonly Model[]
  /** Number of records of each model. */
  readonly count: number
  readonly seed: number
  readonly locale: string | undefined
  /** Calls no code of the project. */
  readonly withoutCode?: boolean
}

/**
 * Maximum number of records of each model by one request: what a server creates in a few seconds beside other requests. The CLI
 * has no such limit.
 */
export const MAX_FILL_COUNT = 10_000

const MEMBERS = ['models', 'count', 'seed', 'locale']

/** The models to mock by default: all but those of accounts and saved views. */
export const mockedModels = (registry: Registry): Model[] =>
  registry.public.filter(({ key }) => ![...ACCOUNT_MODELS, SAVED_VIEWS].includes(key))

/**
 * Reads a request to create mock records: `{models?, count?, seed?, locale?}`; all models when `models` is absent.
 *
 * @param random generates a seed when none is given
 * @throws {AppError} VALIDATION_FAILED
 */
export function readFillRequest(body: unknown, registry: Registry, random: Random): FillRequest {
  const issues = new FieldIssues()
  if (!isObject(body)) issues.add('body', 'The request body must be an object')
  const { models, count, seed, locale, ...others } = isObject(body) ? body : {}
  for (const name of Object.keys(others).slice(0, MAX_NAMED))
    issues.add(name, `Field '${name}' does not exist${didYouMean(name, MEMBERS)}`)
  const filling = {
    models: models == null ? mockedModels(registry) : namedModels(models, registry, issues),
    count: integer('count', count ?? DEFAULT_MOCK_COUNT, [1, MAX_FILL_COUNT], issues),
    seed: integer('seed', seed ?? random(4).readUInt32LE(), [0, MAX_SEED], issues),
    locale: typeof locale === 'string' ? locale : undefined,
  }
  if (locale != null && typeof locale !== 'string') issues.add('locale', 'locale must be a string')
  issues.throwIfAny()
  return filling
}

function namedModels(names: unknown, registry: Registry, issues: FieldIssues): Model[] {
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === 'string')) {
    issues.add('models', 'models must be an array of names of models; leave it out for every one')
    return []
  }
  const known = new Map(registry.public.map((model) => [model.key, model]))
  const wanted = new Set(names)
  const unknown = [...wanted].filter((name) => !known.has(name))
  issues.add('models', ...firstMessages(unknown, (name) => `There is no model '${name}'${meantOrKnown(name, [...known.keys()])}`))
  return [...known.values()].filter(({ key }) => wanted.has(key))
}

function integer(name: string, value: unknown, [min, max]: readonly [number, number], issues: FieldIssues): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  issues.add(name, `${name} must be an integer from ${min} to ${max}`)
  return min
}
