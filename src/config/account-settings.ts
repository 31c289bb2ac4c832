import Joi from 'joi'
import { isLoopback, parseUrl } from '../util/urls.ts'
import type { AccountSettings, Settings } from './define.ts'
import type { Faults } from './fault.ts'
import { providersSchema } from './provider-settings.ts'
import { type Definition, flatSource, type Path } from './source.ts'

const EXAMPLE_URL = 'https://admin.example.com'

/** Warning for links that others on the way can read. */
const UNENCRYPTED_WARNING =
  "public_url begins with http://: others on the way can read the links of resets and invitations; serve the project by https:// (docs/deployment.md), and set 'public_url' to that address"

/** Schema of `public_url`: an origin, spelt as browsers do. The paths come from `base_path` and `admin_path`. */
export const publicUrlSchema = Joi.string()
  .custom((text: string, helpers) => {
    const url = parseUrl(text)
    const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin
    return isOrigin ? url.origin : helpers.error('url.origin')
  })
  .messages({
    'url.origin': `{{#label}} must be the address of the server as its users type it, without a path, such as ${EXAMPLE_URL}`,
  })

/** Schema of `accounts`. */
export const accountsSchema = Joi.object({
  password_reset: Joi.boolean(),
  two_factor: Joi.valid('optional', 'required', 'superusers', 'off'),
  log_days: Joi.number().integer().min(1).max(36_500),
  providers: providersSchema,
})

export const ACCOUNT_DEFAULTS: AccountSettings = { password_reset: false, two_factor: 'optional', log_days: 90 }

/**
 * Checks the merged settings of accounts: what sends links needs mails, and an address for the links.
 *
 * @param file the settings file, whose position a fault has if the section is there
 * @returns warnings
 */
export function checkAccounts(settings: Settings, file: Definition | undefined, faults: Faults): string[] {
  const { accounts, mail, public_url: address } = settings
  const fault = (path: Path, message: string) => {
    const isInFile = file !== undefined && Object.hasOwn(Object(file.value), 'accounts')
    faults.add(isInFile ? file.source : flatSource('environment ADMIN_ACCOUNTS'), isInFile ? path : [], message, {
      rule: 'config/invalid',
    })
  }
  if (accounts.password_reset && mail === undefined) {
    fault(
      ['accounts', 'password_reset'],
      "'accounts.password_reset' needs 'mail', by which the links are sent; add `mail: { from: 'Shop <no-reply@example.com>', smtp: 'smtp://user@mail.example.com:587' }`, or set ADMIN_MAIL__FROM and ADMIN_MAIL__SMTP",
    )
  }
  if (accounts.password_reset && publicUrl(settings) === undefined) {
    fault(
      ['accounts', 'password_reset'],
      `'accounts.password_reset' sends links, and the server listens on ${settings.host}: its address in links is not known; add \`public_url: ${EXAMPLE_URL}\`, or set ADMIN_PUBLIC_URL`,
    )
  }
  const isUnencrypted = address?.startsWith('http:') === true && !isLoopback(hostOf(address))
  return isUnencrypted ? [UNENCRYPTED_WARNING] : []
}

const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * The address of the server in links and redirects, without a slash at the end: the setting `public_url`, or on loopback the address that the server
 * listens on. Never what a request says. Undefined if neither is known.
 *
 * @param port the port that the server listens on, if it differs from the setting
 */
export function publicUrl(settings: Pick<Settings, 'public_url' | 'host' | 'port'>, port = settings.port): string | undefined {
  const { public_url: address, host } = settings
  if (address !== undefined) return address
  return isLoopback(host) ? `http://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined
}

/** Says how links get an address. */
export const NO_PUBLIC_URL = `The address of the server in links is not known; add \`public_url: ${EXAMPLE_URL}\` to the settings, or set ADMIN_PUBLIC_URL`
