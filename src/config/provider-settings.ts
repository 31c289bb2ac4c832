import Joi from 'joi'
import { meantOrKnown } from '../util/suggest.ts'
import { isLoopback, parseUrl } from '../util/urls.ts'
import type { ProviderSettings, ProviderSettingsInput, Settings } from './define.ts'
import type { Faults } from './fault.ts'
import { type Definition, flatSource, type Path } from './source.ts'

export type { ProviderSettings } from './define.ts'

const EXAMPLE_ISSUER = 'https://accounts.google.com'

/** The host of Microsoft Entra ID. */
export const ENTRA_HOST = 'login.microsoftonline.com'

/** What stands in the place of a tenant where Entra answers for several, whose tokens have other issuers. */
const ENTRA_SHARED: ReadonlySet<string> = new Set(['common', 'organizations', 'consumers', '{tenantid}', '%7btenantid%7d'])

/** The problem of an issuer, as a message that follows its name; undefined if it is valid. */
export function issuerProblem(issuer: string): string | undefined {
  const url = parseUrl(issuer)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return `must be a URL such as ${EXAMPLE_ISSUER}`
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (/[?#]/.test(issuer)) return 'must have no query and no fragment; write the issuer that its discovery document names'
  if (url.href !== issuer && url.href !== `${issuer}/`) {
    return `must be written as the provider writes it, such as ${url.pathname === '/' ? url.origin : url.href}`
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    return 'must begin with https; http is for providers on this machine'
  const [tenant = ''] = url.pathname.slice(1).split('/')
  if (url.hostname === ENTRA_HOST && ENTRA_SHARED.has(tenant.toLowerCase())) {
    return `must name one tenant, since everyone with a Microsoft account could log in by '${tenant}'; write https://${ENTRA_HOST}/TENANT-ID/v2.0 with the id of your tenant`
  }
  return undefined
}

const text = (max: number): Joi.StringSchema => Joi.string().max(max)

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

const provider = Joi.object({
  name: Joi.string()
    .pattern(/^[a-z0-9][a-z0-9-]{0,31}$/)
    .invalid('finish')
    .required()
    .messages({
      'string.pattern.base': '{{#label}} must be a short name for addresses, such as google: lower-case letters, digits and -',
      'any.invalid': "{{#label}} must not be 'finish', which is an address of the server",
    }),
  title: text(100),
  issuer: Joi.string()
    .max(500)
    .required()
    .custom((issuer: string, helpers) => {
      const problem = issuerProblem(issuer)
      return problem === undefined ? issuer : helpers.error('provider.issuer', { problem })
    })
    .messages({ 'provider.issuer': '{{#label}} {{#problem}}' }),
  client_id: text(500).required(),
  client_secret: text(1000),
  domains: Joi.array()
    .min(1)
    .items(
      Joi.string()
        .pattern(DOMAIN)
        .messages({ 'string.pattern.base': '{{#label}} must be a domain in lower case, such as example.com' }),
    ),
  create: Joi.boolean(),
  link: Joi.valid('explicit', 'verified_email'),
  groups: Joi.object({
    claim: text(200).required(),
    map: Joi.object().pattern(Joi.string().max(200), text(150)).min(1).required(),
  }),
})

/** Schema of `accounts.providers`. */
export const providersSchema = Joi.array()
  .items(provider)
  .unique('name')
  .unique('issuer')
  .messages({ 'array.unique': '{{#label}} has the same {{#path}} as provider {{#dupePos + 1}}; remove one' })

/** A variable of the environment below `ADMIN_ACCOUNTS__PROVIDERS`. */
export interface ProviderVariable {
  readonly name: string
  /** What follows `PROVIDERS`, in lower case. */
  readonly path: readonly string[]
  readonly value: string
}

/** The variable that holds the secret of a provider. */
export const secretVariableOf = (provider: string): string =>
  `ADMIN_ACCOUNTS__PROVIDERS__${provider.replaceAll('-', '_').toUpperCase()}__CLIENT_SECRET`

interface ProviderContext {
  readonly settings: Pick<Settings, 'host' | 'public_url'>
  readonly variables: readonly ProviderVariable[]
  /** The settings file, whose positions the faults have. */
  readonly file: Definition | undefined
  readonly faults: Faults
}

/**
 * Fills in defaults and secrets of the environment. Where others reach the server, providers need the address to come back to.
 *
 * @returns the member `providers` of the settings, or nothing without providers
 */
export function completeProviders(
  written: readonly ProviderSettingsInput[] = [],
  { settings: { host, public_url: address }, variables, file, faults }: ProviderContext,
): { providers?: readonly ProviderSettings[] } {
  const names = new Map(written.map(({ name }) => [secretVariableOf(name), name]))
  const secrets = new Map<string | undefined, string>()
  for (const { name: variable, path, value } of variables) {
    const name = path.length === 2 && path[1] === 'client_secret' ? names.get(variable.toUpperCase()) : undefined
    if (name !== undefined) secrets.set(name, value)
    else faults.add(flatSource(`environment ${variable}`), [], noSecretMessage(variable, [...names.keys()]))
  }
  if (written.length === 0) return {}
  if (address === undefined && !isLoopback(host)) {
    const isInFile = Object.hasOwn(Object(Object(file?.value).accounts), 'providers')
    const [source, path]: [Definition['source'], Path] =
      isInFile && file !== undefined ? [file.source, ['accounts', 'providers']] : [flatSource('command line'), []]
    faults.add(source, path, noAddressMessage(host))
  }
  const providers = written.map(({ title, create = false, link = 'explicit', ...provider }) => {
    const secret = secrets.get(provider.name)
    return {
      ...provider,
      title: title ?? provider.name,
      create,
      link,
      ...(secret === undefined ? {} : { client_secret: secret }),
    }
  })
  return { providers }
}

const noSecretMessage = (variable: string, known: readonly string[]): string =>
  `${variable} is no secret of a provider${meantOrKnown(variable, known)}; the other settings of providers stand in the file`

const noAddressMessage = (host: string): string =>
  `'accounts.providers' needs the address that providers send users back to, and the server listens on ${host}; add \`public_url: https://admin.example.com\`, or set ADMIN_PUBLIC_URL`

/** The providers in the settings, with their paths. The shape may be wrong, which the settings schema reports. */
export function providersIn({ value }: Definition): { value: Readonly<Record<string, unknown>>; path: Path }[] {
  const { providers } = Object(Object(value).accounts) as { readonly providers?: unknown }
  return Array.isArray(providers)
    ? providers.map((each: unknown, index) => ({ value: Object(each), path: ['accounts', 'providers', index] }))
    : []
}
