import { markCallSite } from './call-site.ts'

/** Defines a project's settings in TypeScript. An unknown setting is a type error. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return markCallSite(settings, defineConfig)
}

// Types of their own file, so that the types of the package need no library.

/** The settings of a project, with defaults filled in. Lifetimes in minutes, sizes in bytes, rates per minute. */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly base_path: string
  readonly admin_path: string
  /** The address of the server as its users type it, for links: `https://admin.example.com`. */
  readonly public_url?: string
  readonly api_version: string
  /** The engine that keeps the records: in files of the folder `data`, or a PostgreSQL database. */
  readonly store: 'embedded' | PostgresSettings
  readonly data: string
  readonly secret_key?: string
  /** Former secret keys, which open what they have sealed until it is sealed with the present one. */
  readonly secret_keys_previous?: readonly string[]
  readonly jwt: {
    readonly algorithm: JwtAlgorithm
    readonly access_token_minutes: number
    readonly refresh_token_minutes: number
  }
  readonly views_auth: 'optional' | 'required'
  readonly validation_status: 400 | 422
  readonly rate_limits: { readonly default: number; readonly auth: number; readonly upload: number; readonly download: number }
  readonly max_upload_bytes: number
  readonly max_record_bytes: number
  readonly trusted_proxies: number
  readonly cors: readonly string[]
  readonly log: { readonly level: 'error' | 'warn' | 'info' | 'debug'; readonly format: 'auto' | 'json' | 'text' }
  readonly stop_delay_seconds: number
  readonly metrics: 'off' | 'local' | 'open'
  /** Whether agents may call tools over HTTP, by the Model Context Protocol. */
  readonly mcp: boolean
  readonly webhooks: WebhookSection
  /** Jobs of the project. */
  readonly jobs: {
    /** False for a process that serves only. */
    readonly run: boolean
    /** Maximum number of jobs that a process runs at once. */
    readonly concurrency: number
    /** Days for which jobs that are over are kept. */
    readonly keep_days: number
  }
  /** How mails are sent; absent if none are. */
  readonly mail?: MailSettings
  readonly accounts: AccountSettings
  /** Files of records. */
  readonly files: FileSettings
  /** Which changes are recorded, and for how long; absent if none are. */
  readonly history?: {
    readonly days: number
    readonly models?: readonly string[]
    /** Whether files are kept as long as the history that names them; default: true. */
    readonly files?: boolean
  }
  /** The admin page. */
  readonly ui: {
    readonly enabled: boolean
    /** Name of the site; default: Admin. */
    readonly title?: string
    /** Accent colour, such as `#4f46e5`. */
    readonly accent?: string
    /** Logo: a path on the server's own origin, or an image as a `data:` URL. */
    readonly logo?: string
  }
  readonly lint: { readonly rules: Readonly<Record<string, 'off' | 'warn' | 'error'>> }
}

/** Signature algorithms of tokens (RFC 7518). */
export type JwtAlgorithm = 'HS256' | 'HS384' | 'HS512'

/** Settings of a PostgreSQL database as the store. */
export interface PostgresSettings {
  /** `postgres://user@host:5432/database`; a password in it is never shown. */
  readonly url: string
  /** The address of the server itself where `url` is that of a pooler, for notifications of changes. */
  readonly listen_url?: string
  /** The schema of the tables. */
  readonly schema: string
  /** Maximum number of connections of a process. */
  readonly pool: number
  /** Maximum duration of a statement, such as `30s`. */
  readonly statement_timeout: string
  /** Whether a start applies additive changes of the models to the tables. */
  readonly migrate: 'additive' | 'never'
}

/** Settings of files of records. Sizes in bytes. */
export interface FileSettings {
  /** Largest size that a field may allow. */
  readonly max_size: number
  /** Hours for which an upload waits for its record. */
  readonly pending_hours: number
  /** Size of all waiting uploads of a user. */
  readonly pending_bytes: number
  /** Days for which the bytes of a removed file are kept. */
  readonly keep_removed_days: number
  /** Free space below which no file is taken. */
  readonly min_free: number
  /** A folder that all processes share, for the bytes; with PostgreSQL only. Default: in the database. */
  readonly store?: string
}

/** Settings of files as written: a size may be a text such as `8 MiB`. */
type FileSettingsInput = {
  readonly [K in keyof FileSettings]?: K extends 'max_size' | 'pending_bytes' | 'min_free' ? number | string : FileSettings[K]
}

/** Who needs a second factor. */
export type TwoFactor = 'optional' | 'required' | 'superusers' | 'off'

/** Settings of accounts. */
export interface AccountSettings {
  /** Whether users may ask for a link that sets another password. Needs `mail`. */
  readonly password_reset: boolean
  /** Who needs a second factor: those who set one up, everyone, superusers, or nobody; `off` asks for none. */
  readonly two_factor: TwoFactor
  /** Days for which the log of accounts is kept. */
  readonly log_days: number
  /** Providers of identities for single sign-on; absent if there are none. */
  readonly providers?: readonly ProviderSettings[]
}

/** Settings of mails that the server sends. */
export interface MailSettings {
  /** The sender: an address, or `Shop <no-reply@example.com>`. */
  readonly from: string
  /** The mail server: `smtp://user@host:587`, or `smtps:` for TLS from the beginning. Without it, mails become files, on loopback only. */
  readonly smtp?: string
  /** The password for the mail server. */
  readonly password?: string
}

/** A provider of identities for single sign-on (OpenID Connect). */
export interface ProviderSettings {
  /** Its name in addresses. */
  readonly name: string
  /** Its name for people; default: `name`. */
  readonly title: string
  /** The issuer, exactly as its discovery document names it. */
  readonly issuer: string
  readonly client_id: string
  readonly client_secret?: string
  /** Domains of the addresses that accounts are created and linked for; default: all. */
  readonly domains?: readonly string[]
  /** Whether unknown users get an account; default: false. */
  readonly create: boolean
  /**
   * How an identity gets to an account that exists: by its user, who is logged in (default), or also by the same e-mail address, verified there and
   * here.
   */
  readonly link: 'explicit' | 'verified_email'
  /** Groups that follow a claim: its values, and the groups that they stand for. */
  readonly groups?: { readonly claim: string; readonly map: Readonly<Record<string, string>> }
}

/** A provider as written. */
export type ProviderSettingsInput = Pick<ProviderSettings, 'name' | 'issuer' | 'client_id'> & Partial<ProviderSettings>

type SectionsOf<S> = { readonly [K in keyof S]?: S[K] extends readonly unknown[] ? S[K] : Partial<S[K]> }

/** Settings as written; every member is optional. `webhooks` may be a list of subscriptions, `store` a URL. */
export type SettingsInput = SectionsOf<Omit<Settings, 'webhooks' | 'store' | 'mail' | 'files' | 'accounts'>> & {
  readonly accounts?: Partial<Omit<AccountSettings, 'providers'>> & { readonly providers?: readonly ProviderSettingsInput[] }
  readonly files?: FileSettingsInput
  readonly mail?: Partial<MailSettings>
  readonly store?: string | Partial<PostgresSettings>
  readonly webhooks?: readonly WebhookSettings[] | SectionsOf<WebhookSection>
}

/** A webhook subscription in the settings. */
export interface WebhookSettings {
  readonly url: string
  readonly events?: readonly ('create' | 'update' | 'delete')[]
  readonly models?: readonly string[]
  readonly secret?: string
  readonly active?: boolean
}

/** Settings of webhook delivery. */
export interface WebhookSection {
  /**
   * Allows receivers on this machine and in private networks. Default: true if the server itself listens on this machine only.
   */
  readonly allow_private?: boolean
  /** Delays in seconds after each failed attempt. */
  readonly retry_schedule: readonly number[]
  readonly subscriptions: readonly WebhookSettings[]
  /** Retention of the delivery log: number of deliveries, and days. */
  readonly keep: { readonly deliveries: number; readonly days: number }
}
