import Joi from 'joi'
import { parseUrl, withDatabaseHost } from '../util/urls.ts'
import type { PostgresSettings, Settings } from './define.ts'
import type { Faults } from './fault.ts'
import { type Definition, flatSource } from './source.ts'

/** Default settings of a PostgreSQL store; the URL has none. */
export const POSTGRES_DEFAULTS = {
  schema: 'admin',
  pool: 10,
  statement_timeout: '30s',
  migrate: 'additive',
} as const satisfies Omit<PostgresSettings, 'url'>

const EXAMPLE = 'postgres://user@host:5432/database'

const ENGINES = `'embedded', or a URL such as ${EXAMPLE}`
const NO_ENGINE = `{{#label}} must be ${ENGINES}`

/** The problem of a URL of a PostgreSQL database, as a message that follows its name; undefined if it is valid. Never shows the URL. */
export function postgresUrlProblem(address: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(address)) return `must be a URL such as ${EXAMPLE}`
  if (parseUrl(withDatabaseHost(address)) !== undefined) return undefined
  return `is not a valid URL; write it as ${EXAMPLE}, with special characters of user name and password percent-encoded (@ is %40)`
}

const postgresUrl = Joi.string()
  .custom((text: string, helpers) => {
    const problem = postgresUrlProblem(text)
    return problem === undefined ? text : helpers.error('store.url', { problem })
  })
  .messages({ 'store.url': '{{#label}} {{#problem}}' })

const MAX_POOL = 1000
/** A number and a unit. */
const DURATION = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|min)$/
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 }
const LONGEST_STATEMENT_MS = 3_600_000

/** Parses a duration such as `30s` into milliseconds; NaN if it is not one. */
export function durationMs(text: string): number {
  const [, amount = '', unit = ''] = DURATION.exec(text) ?? []
  return amount === '' ? Number.NaN : Math.round(Number(amount) * (UNITS_MS[unit] ?? Number.NaN))
}

const section = Joi.object({
  url: postgresUrl,
  listen_url: postgresUrl,
  schema: Joi.string()
    .pattern(/^(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,62}$/)
    .messages({
      'string.pattern.base':
        '{{#label}} must be the name of a schema such as admin: at most 63 letters, digits, _ or -, not beginning with pg_',
    }),
  // An export reads by a cursor on one connection, and related records on another.
  pool: Joi.number().integer().min(2).max(MAX_POOL),
  statement_timeout: Joi.string()
    .custom((text: string, helpers) => {
      const milliseconds = durationMs(text)
      return milliseconds >= 1 && milliseconds <= LONGEST_STATEMENT_MS ? text : helpers.error('store.duration')
    })
    .messages({ 'store.duration': '{{#label}} must be a duration such as 30s, 500ms or 2min, and at most 60min' }),
  migrate: Joi.valid('additive', 'never'),
}).messages({ 'object.base': `${NO_ENGINE}, or a mapping with a url` })

/** `embedded` or a URL. */
const engine = Joi.string()
  .custom((text: string, helpers) =>
    text === 'embedded' || postgresUrlProblem(text) === undefined
      ? text
      : helpers.error('store.engine', { problem: problemOfEngine(text) }),
  )
  .messages({ 'store.engine': '{{#label}} {{#problem}}', 'string.empty': NO_ENGINE })

function problemOfEngine(text: string): string | undefined {
  const isUrl = text.startsWith('postgres://') || text.startsWith('postgresql://')
  return isUrl ? postgresUrlProblem(text) : `must be ${ENGINES}`
}

/** Schema of `store`: `embedded`, a URL, or a section with a URL. */
export const storeSchema = Joi.alternatives().conditional(Joi.string().allow(''), {
  // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
  then: engine,
  otherwise: section,
})

/**
 * Fills in the defaults of a store's merged settings. A section without a URL is a fault.
 *
 * @param file the settings file, whose position the fault has if the section is there
 */
export function completeStore(
  store: Settings['store'] | Partial<PostgresSettings>,
  file: Definition | undefined,
  faults: Faults,
): Settings['store'] {
  if (store === 'embedded') return store
  const { url, ...others } = store
  if (url !== undefined) return { url, ...POSTGRES_DEFAULTS, ...others }
  const isInFile = Object.hasOwn(Object(file?.value), 'store')
  const source = isInFile && file !== undefined ? file.source : flatSource('environment ADMIN_STORE')
  faults.add(source, isInFile ? ['store'] : [], `'store' has no url; add one such as ${EXAMPLE}, or set ADMIN_STORE to it`, {
    rule: 'config/invalid',
  })
  return 'embedded'
}

/** The place of a PostgreSQL store for people: the URL without password and parameters, and the schema. */
export function postgresPlace({ url, schema }: PostgresSettings): string {
  const { protocol, username, host, pathname, searchParams } = new URL(withDatabaseHost(url))
  const user = username === '' ? '' : `${username}@`
  return `${protocol}//${user}${searchParams.get('host') ?? host}${pathname}, schema ${schema}`
}
