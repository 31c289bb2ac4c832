import Joi from 'joi'
import { nearest } from '../util/suggest.ts'
import { parseUrl } from '../util/urls.ts'
import { ACCOUNT_DEFAULTS, accountsSchema, checkAccounts, publicUrlSchema } from './account-settings.ts'
import type { Settings, SettingsInput } from './define.ts'
import { type FaultRule, Faults } from './fault.ts'
import { checkFileStore, FILE_DEFAULTS, filesSchema } from './file-settings.ts'
import { completeMail, mailSchema } from './mail-settings.ts'
import { completeProviders, type ProviderVariable } from './provider-settings.ts'
import { SCHEMA_REFERENCE, validateShape } from './shape.ts'
import { type Definition, flatSource, type Path } from './source.ts'
import { completeStore, storeSchema } from './store-settings.ts'
import { webhooksSchema } from './webhook-settings.ts'

/** Allows every origin. */
export const ANY_ORIGIN = '*'

/** Warning for settings that allow every origin. */
const ANY_ORIGIN_WARNING =
  "cors is '*': pages of every site may call the API with any token they have; list the origins of your front ends"

/** Allowed CORS origins (RFC 6454), each spelt as browsers send it. */
const origins = Joi.array()
  .items(
    Joi.string().custom(requireCanonical, 'origin').messages({
      'origin.form':
        "'cors' contains '{{#value}}', which is not an origin; write scheme://host[:port] as browsers send it, such as https://app.example.com or http://localhost:5173",
    }),
  )
  .custom(requireWildcardAlone, 'any origin')
  .messages({ 'origin.any': "'*' in 'cors' already allows every origin; remove it or the others" })

/** Browsers send an origin in one spelling (lower case, no default port, no trailing slash); any other would never match. */
function requireCanonical(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const [, scheme = '', host = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s*]+)$/.exec(value) ?? []
  const parsed = parseUrl(`http://${host}`) && new URL(/^https?$/.test(scheme) ? value : `${scheme}://${host}`)
  const known = parsed !== undefined && host !== '' && `${parsed.protocol}//${parsed.host}` === value
  return value === ANY_ORIGIN || known ? value : helpers.error('origin.form')
}

function requireWildcardAlone(given: readonly string[], helpers: Joi.CustomHelpers): readonly string[] | Joi.ErrorReport {
  return given.length > 1 && given.includes(ANY_ORIGIN) ? helpers.error('origin.any') : given
}

export type { AccountSettings, JwtAlgorithm, MailSettings, PostgresSettings, Settings, SettingsInput } from './define.ts'

/** The default settings. */
export const DEFAULTS: Settings = {
  host: '127.0.0.1',
  port: 8000,
  base_path: '',
  admin_path: '/admin',
  api_version: 'v1',
  store: 'embedded',
  data: 'data',
  jwt: { algorithm: 'HS256', access_token_minutes: 30, refresh_token_minutes: 10080 },
  views_auth: 'optional',
  validation_status: 400,
  rate_limits: { default: 100, auth: 5, upload: 10, download: 3000 },
  max_upload_bytes: 10_485_760,
  max_record_bytes: 1_048_576,
  trusted_proxies: 0,
  cors: [],
  log: { level: 'info', format: 'auto' },
  stop_delay_seconds: 0,
  metrics: 'local',
  mcp: false,
  webhooks: {
    // As recommended by Standard Webhooks and Svix: 5 s, 5 min, 30 min, then hours.
    retry_schedule: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
    subscriptions: [],
    keep: { deliveries: 10_000, days: 30 },
  },
  jobs: { run: true, concurrency: 4, keep_days: 7 },
  accounts: ACCOUNT_DEFAULTS,
  files: FILE_DEFAULTS,
  ui: { enabled: true },
  lint: { rules: {} },
}

/** A logo is part of every response that describes the site. */
const MAX_LOGO_LENGTH = 65_536

/** Ten years. */
const MAX_TOKEN_MINUTES = 5_256_000

const pathPrefix = Joi.string()
  .allow('')
  .pattern(/^(\/[A-Za-z0-9._~-]+)*$/)
  .messages({ 'string.pattern.base': '{{#label}} must be a path such as /backend, without a slash at the end' })
/** Where the admin page would hide other answers of the server. */
const TAKEN_PATHS = ['/docs', '/healthz', '/readyz', '/metrics', '/mcp']
const count = Joi.number().integer().min(0).max(100_000)

const signingKey = Joi.string().custom(requireSecretLength, 'length in bytes').messages({
  'secret.short': '{{#label}} must be at least 32 bytes long; generate one with `openssl rand -base64 32`',
})

/** Schema of a settings file. */
export const settingsSchema = Joi.object<SettingsInput>({
  ...SCHEMA_REFERENCE,
  host: Joi.string(),
  port: Joi.number().port(),
  base_path: pathPrefix,
  admin_path: pathPrefix.invalid(...TAKEN_PATHS).messages({
    'any.invalid':
      '{{#label}} must not be {{#value}}, where the server answers something else; choose another path such as /admin',
  }),
  public_url: publicUrlSchema,
  api_version: Joi.string()
    .pattern(/^[A-Za-z0-9._-]+$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a path segment such as v1' }),
  store: storeSchema,
  data: Joi.string(),
  secret_key: signingKey,
  secret_keys_previous: Joi.array().items(signingKey).max(10),
  jwt: Joi.object({
    algorithm: Joi.valid('HS256', 'HS384', 'HS512'),
    access_token_minutes: Joi.number().min(1).max(MAX_TOKEN_MINUTES),
    refresh_token_minutes: Joi.number().min(1).max(MAX_TOKEN_MINUTES),
  }),
  views_auth: Joi.valid('optional', 'required'),
  validation_status: Joi.number().valid(400, 422),
  rate_limits: Joi.object({ default: count, auth: count, upload: count, download: count }),
  max_upload_bytes: Joi.number().integer().min(1024),
  max_record_bytes: Joi.number().integer().min(1024),
  trusted_proxies: count,
  cors: origins,
  log: Joi.object({ level: Joi.valid('error', 'warn', 'info', 'debug'), format: Joi.valid('auto', 'json', 'text') }),
  stop_delay_seconds: Joi.number().min(0).max(600),
  metrics: Joi.valid('off', 'local', 'open'),
  mcp: Joi.boolean(),
  webhooks: webhooksSchema,
  jobs: Joi.object({
    run: Joi.boolean(),
    concurrency: Joi.number().integer().min(1).max(64),
    keep_days: Joi.number().integer().min(1).max(36_500),
  }),
  mail: mailSchema,
  accounts: accountsSchema,
  files: filesSchema,
  history: Joi.object({
    days: Joi.number().integer().min(1).max(36_500).required(),
    models: Joi.array().items(Joi.string()).min(1),
    files: Joi.boolean(),
  }),
  ui: Joi.object({
    enabled: Joi.boolean(),
    title: Joi.string().max(100),
    accent: Joi.string()
      .pattern(/^#[0-9a-fA-F]{6}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be a colour such as #4f46e5' }),
    logo: Joi.string()
      .max(MAX_LOGO_LENGTH)
      .pattern(/^(\/(?!\/)|data:image\/(svg\+xml|png|jpeg|webp|gif)[;,])/)
      .messages({ 'string.pattern.base': '{{#label}} must be a path such as /logo.svg, or an image as a data: URL' }),
  }),
  lint: Joi.object({ rules: Joi.object().pattern(Joi.string(), Joi.valid('off', 'warn', 'error')) }),
})

function requireSecretLength(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  return Buffer.byteLength(value) < 32 ? helpers.error('secret.short') : value
}

function ruleOfFault(type: string, path: Path): FaultRule {
  if (type === 'object.unknown') return 'config/unknown-key'
  if (type === 'secret.short' || type === 'webhook.secret') return 'config/weak-secret'
  return path[0] === 'webhooks' && path.at(-1) === 'url' ? 'config/webhook-url' : 'config/invalid'
}

/**
 * Merges settings: flags override environment variables, which override the file, which overrides the defaults. Warnings
 * concern variables that are probably misspelt.
 *
 * @param flags values of the command line; undefined members are absent
 * @param env the process environment: `ADMIN_PORT`, `ADMIN_JWT__ALGORITHM`, …
 */
export function resolveSettings(
  file: Definition | undefined,
  env: Readonly<Record<string, string | undefined>>,
  flags: SettingsInput,
): { settings: Settings; faults: Faults; warnings: string[] } {
  const faults = new Faults('config/invalid')
  const environment = readEnvironment(env)
  const read = (value: unknown, source: Definition['source'], convert: boolean): SettingsInput => {
    const shape = validateShape(settingsSchema, value, source, { convert, rule: ruleOfFault })
    faults.addAll(shape.faults.list)
    return withSections(shape.value ?? {})
  }
  const layers = [
    file === undefined || file.value === null ? {} : read(file.value, file.source, false),
    ...environment.layers.map(({ name, value }) => read(value, flatSource(`environment ${name}`), true)),
    read(flags, flatSource('command line'), true),
  ]
  const merged = layers.reduce<object>(mergeSections, DEFAULTS) as Settings
  const { mail: writtenMail, accounts: writtenAccounts, ...others } = merged
  const mail = completeMail(writtenMail, merged.host, file, faults)
  const settings = freeze({
    ...others,
    accounts: {
      ...writtenAccounts,
      ...completeProviders(writtenAccounts.providers, {
        ...{ settings: merged, file, faults },
        variables: environment.providers,
      }),
    },
    store: completeStore(merged.store, file, faults),
    ...(mail === undefined ? {} : { mail }),
  })
  checkFileStore(settings, file, faults)
  const accountWarnings = checkAccounts(settings, file, faults)
  if (settings.store !== 'embedded' && flags.data !== undefined) faults.add(flatSource('command line'), [], DATA_UNUSED)
  const anyOrigin = settings.cors.includes(ANY_ORIGIN) ? [ANY_ORIGIN_WARNING] : []
  return { settings, faults, warnings: [...environment.warnings, ...anyOrigin, ...accountWarnings] }
}

const DATA_UNUSED =
  "--data names a data folder, which the setting 'store' does not use; leave it out, or set ADMIN_STORE=embedded"

/** A list of subscriptions, or a URL, is short for a section with nothing else, so that other layers can add to it. */
function withSections({ webhooks, store, ...others }: SettingsInput): SettingsInput {
  const url = typeof store === 'string' && store !== 'embedded' ? { url: store } : store
  return {
    ...others,
    ...(url === undefined ? {} : { store: url }),
    ...(webhooks === undefined ? {} : { webhooks: Array.isArray(webhooks) ? { subscriptions: webhooks } : webhooks }),
  }
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>): {
  layers: { name: string; value: unknown }[]
  providers: ProviderVariable[]
  warnings: string[]
} {
  const layers: { name: string; value: unknown }[] = []
  const providers: ProviderVariable[] = []
  const warnings: string[] = []
  for (const [name, text] of Object.entries(env)) {
    // Shells express an unset variable as an empty one.
    if (!name.startsWith('ADMIN_') || text === undefined || text === '') continue
    const path = name.slice('ADMIN_'.length).toLowerCase().split('__')
    const [setting = ''] = path
    // That of other programs is an address.
    if (name === 'ADMIN_MAIL') continue
    // Providers are a list, whose members the environment names.
    if (setting === 'accounts' && path[1] === 'providers') providers.push({ name, path: path.slice(2), value: text })
    else if (SETTING_NAMES.has(setting)) {
      const leaf = LISTS.has(setting) ? text.split(',').map((item) => item.trim()) : text
      layers.push({ name, value: path.reduceRight<unknown>((value, key) => ({ [key]: value }), leaf) })
    } else {
      // Other programs use the prefix too: their ADMIN_EMAIL is no fault of this project, but a similar name may be.
      const meant = setting === 'email' ? undefined : nearest(setting, SETTING_NAMES)
      if (meant !== undefined) warnings.push(`${name} is not a setting; did you mean ADMIN_${meant.toUpperCase()}?`)
    }
  }
  return { layers, providers, warnings }
}

/** Settings whose variable is a list with commas. */
const LISTS: ReadonlySet<string> = new Set(['cors', 'secret_keys_previous'])

const SETTING_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(DEFAULTS),
  'secret_key',
  'secret_keys_previous',
  'public_url',
  'mail',
  'history',
])

function mergeSections(base: object, override: object): object {
  const result: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(override)) {
    const former = result[key]
    const merge = isPlain(value) && isPlain(former)
    if (value !== undefined) result[key] = merge ? mergeSections(former, value) : value
  }
  return result
}

const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) freeze(member)
    Object.freeze(value)
  }
  return value
}
