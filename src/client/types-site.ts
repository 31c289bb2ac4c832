import type { FilterObject } from './query.ts'
import type { CallOptions, PageQuery } from './types-calls.ts'

/** Actions that a user may perform on the records of a model. */
export type SiteAction = 'view' | 'add' | 'change' | 'delete'

/** The effect on a record when the record that it refers to is deleted. */
export type OnDelete = 'cascade' | 'set_null' | 'restrict'

/** The models that the user may access, and what the API offers the user. */
export interface Site<Key extends string = string> {
  readonly title: string
  readonly accent: string | null
  readonly logo: string | null
  /** Version of the server. */
  readonly version: string
  /** Root path of the API: `/api/v1`. */
  readonly api_root: string
  readonly user: {
    readonly id: number | null
    readonly username: string | null
    readonly is_superuser: boolean
    /** The groups of the user. */
    readonly groups: readonly { readonly id: number; readonly name: string }[]
  }
  readonly capabilities: Readonly<Record<SiteCapability, boolean>>
  readonly limits: SiteLimits
  /** Models for which the user has a permission. */
  readonly models: readonly SiteModel<Key>[]
  /** The saved views of the user, of the groups of the user, and of everyone, by name; at most 500. */
  readonly saved_views: readonly SavedView[]
  /** The panels of the first page that the user may see; absent for a project without a dashboard of its own. */
  readonly dashboard?: readonly SitePanel[]
  /** The jobs of the project; absent without one, and for users who are no superusers. */
  readonly jobs?: readonly SiteJob[]
}

/** A panel of the first page. */
export interface SitePanel {
  readonly title: string
  readonly kind: 'number' | 'bars' | 'line' | 'table'
  /** Key of the model. */
  readonly model: string
  /** Filters as the address of a list has them; `__within` names a period that moves with the calendar, such as `last_7_days`. */
  readonly filters: readonly string[]
  /** A field, or a period of a date: `created_at:week`. */
  readonly group_by: string | null
  /** What is computed; null for a table of records. */
  readonly measure: { readonly name: 'count' | 'sum' | 'avg' | 'min' | 'max'; readonly field: string | null } | null
  /** The order of groups, or the sort keys of records. */
  readonly sort: 'value' | 'group' | readonly string[] | null
  /** Number of rows or groups. */
  readonly limit: number | null
  /** The list view that it leads to; false for none. */
  readonly link: string | false | null
  readonly size: 'small' | 'medium' | 'large' | null
}

/** A part of the API that the user may use. `share_views` is sharing saved views with everyone and with any group. */
export type SiteCapability =
  | 'history'
  | 'files'
  | 'search'
  | 'import'
  | 'webhooks'
  | 'snapshots'
  | 'mock'
  | 'lint'
  | 'events'
  | 'openapi'
  | 'saved_views'
  | 'share_views'

/** A state of the list of a model under a name: a record of the built-in model `savedview`. */
export interface SavedView {
  readonly id: number
  readonly name: string
  /** Key of the model. */
  readonly model: string
  /** The query of the address of the list, without a question mark. */
  readonly query: string | null
  readonly look: SavedLook | null
  /** The owner. */
  readonly user_id: number
  /** Ids of the groups whose members see it. */
  readonly groups: readonly number[]
  /** True if every user sees it. */
  readonly everyone: boolean | null
  /** Opens with the list: for its owner, or for all who see it. */
  readonly default_for: 'user' | 'all' | null
  readonly updated_at: string | null
  /** The version of the record, for `if_match`. */
  readonly etag: string
  /** What the user may do with it. */
  readonly can: readonly ('change' | 'delete')[]
}

/** How the list of a saved view looks. */
export interface SavedLook {
  /** Widths of columns in pixels, by name. */
  readonly widths?: Readonly<Record<string, number>>
  /** Columns that stay in sight. */
  readonly pinned?: readonly string[]
  readonly totals?: readonly ('sum' | 'avg')[]
  readonly density?: 'compact' | 'comfortable'
}

/** Limits of requests. */
export interface SiteLimits {
  /** Maximum number of records per page. */
  readonly page_size: number
  /** Maximum number of items of a bulk operation. */
  readonly bulk_size: number
  readonly upload_bytes: number
  /** Maximum size of a record. */
  readonly record_bytes: number
  /** Null without a limit. */
  readonly requests_per_minute: number | null
}

/** A model of the site. */
export interface SiteModel<Key extends string = string> {
  /** The model's name in lower case, as in URLs. */
  readonly key: Key
  readonly name: string
  readonly label: string
  /** The field that names a record in lists of choices; may be `id`. */
  readonly display_field: string
  readonly group: string | null
  readonly icon: string | null
  readonly can: readonly SiteAction[]
  /** Number of records that the user may view; absent without permission to view them. */
  readonly count?: number
  readonly searchable: boolean
  /** True if changes of its records are recorded. */
  readonly history: boolean
  /** Sets of fields whose values together are unique; absent without one. */
  readonly unique_together?: readonly (readonly string[])[]
  readonly fields: readonly SiteField[]
  /** What buttons do with its records, beyond reading and writing them. */
  readonly actions: readonly SiteModelAction[]
  /** Fields of other models that refer to this one. `name` is that of their records in `include`; null without one, absent from earlier versions. */
  readonly referenced_by: readonly {
    readonly model: string
    readonly field: string
    readonly on_delete: OnDelete
    readonly name?: string | null
  }[]
}

/** An action of a model of the site. */
export interface SiteModelAction extends SiteInput {
  readonly name: string
  readonly title: string
  /** A name of Lucide. */
  readonly icon: string | null
  readonly tone: 'default' | 'danger'
  /** The question before it; `{count}` stands for the number of records. */
  readonly confirm: string | null
  /** What it is performed on: one record, one or several, or none. */
  readonly on: 'record' | 'selection' | 'model'
  /** The condition for the records that it is possible for, over `self` and `user` (Common Expression Language). */
  readonly when: string | null
  /** True if the user may perform it, on some records at least. */
  readonly can: boolean
}

/** A job of the project. */
export interface SiteJob extends SiteInput {
  readonly name: string
  /** A cron pattern; null for a job that runs when it is stored only. */
  readonly schedule: string | null
  /** The time zone of the schedule, such as `UTC`; null without a schedule. */
  readonly timezone: string | null
}

/** What an action or a job takes. */
interface SiteInput {
  /** The fields of its input, as those of forms. */
  readonly input: readonly Readonly<Record<string, unknown>>[]
  /** The same fields, as those of models. */
  readonly input_fields: readonly SiteField[]
}

/** A field of a model of the site. */
export interface SiteField {
  readonly name: string
  readonly type: string
  readonly label: string
  readonly help_text: string | null
  readonly required: boolean
  readonly unique: boolean
  /** True for a field that only the server sets. */
  readonly readonly: boolean
  readonly sortable: boolean
  /** Operators of filters; `eq` is the one without a suffix. */
  readonly operators: readonly string[]
  readonly choices: readonly { readonly value: unknown; readonly label?: string; readonly color?: string }[] | null
  /** Limits of values, such as `max_length` and `gte`. */
  readonly bounds: Readonly<Record<string, unknown>>
  /** What a new record gets without a value: a value, `today` or `now`, `{user: id}` for the user who creates it. Absent for none. */
  readonly default?: unknown
  readonly relation: { readonly name: string; readonly model: string; readonly on_delete: OnDelete | null } | null
  /** What a field of the type `file` or `image` accepts; absent for other types. */
  readonly file?: SiteFileRules
}

/** What a field of files accepts. */
export interface SiteFileRules {
  readonly multiple: boolean
  /** 1 for a field without `multiple`. */
  readonly max_files: number
  /** Of one file, in bytes. */
  readonly max_size: number
  /** Media types such as `application/pdf`, or `image/*`; null for all. */
  readonly accept: readonly string[] | null
  /** By name, with `preview`. Sides in pixels, null for one that follows from the other; empty for fields that are no images. */
  readonly thumbnails: Readonly<
    Record<string, { readonly width: number | null; readonly height: number | null; readonly fit: 'cover' | 'inside' }>
  >
  /** In pixels, as displayed. */
  readonly min_width: number | null
  readonly min_height: number | null
}

/** Options of a search over all models. */
export interface SiteSearchQuery<Key extends string = string> {
  /** Models to search; by default all that the user may view. */
  readonly models?: readonly Key[] | undefined
  /** Fails with 503 where records would be missing, in place of answering with `missing`. */
  readonly complete?: boolean | undefined
  /** Maximum number of hits, 1 to 50. Default: 20. */
  readonly limit?: number | undefined
}

/** The best hits of a search over all models, the best first. */
export interface SiteSearchResult<Key extends string = string> {
  readonly data: readonly SiteHit<Key>[]
  /** Number of matching records in all models. */
  readonly total: number
  /** Number of records that are not searched yet, or as they were before a change of many; absent if the result is complete. */
  readonly missing?: number
}

/** A record that a search over all models found. */
export interface SiteHit<Key extends string = string> {
  readonly model: Key
  readonly id: number
  /** The value of the model's display field, as text. */
  readonly label: string
  readonly score: number
  /** The positions of the matches by field: `[start, length]` in UTF-16 code units. */
  readonly matches: Readonly<Record<string, readonly (readonly [number, number])[]>>
}

/** The findings of `admin lint`. */
export interface LintReport {
  readonly version: number
  readonly summary: {
    readonly files: number
    readonly errors: number
    readonly warnings: number
    readonly notes: number
    readonly fixed: number
  }
  /** By file and position. */
  readonly findings: readonly LintFinding[]
}

/** A finding in a project file. Lines and columns count from 1, columns in UTF-16 code units. */
export interface LintFinding {
  readonly rule: string
  readonly severity: 'error' | 'warn' | 'note'
  readonly message: string
  readonly file: string
  readonly line: number
  readonly column: number
  readonly end_line: number
  /** Column behind the last character. */
  readonly end_column: number
  /** True if the finding prevents `admin serve` from starting. */
  readonly stops_serve: boolean
  /** True if `admin lint --fix` can fix it. */
  readonly fixable: boolean
}

/** A view, as the Views API returns it. */
export interface View {
  readonly name: string
  readonly view_type: 'form' | 'list'
  readonly model: string
  /** True for a view that the server generated, since the model has none of this type. */
  readonly generated?: true
  readonly fields: readonly Readonly<Record<string, unknown>>[]
  /** What a list is displayed as besides a table; absent for a form, and for a list that is a table only. */
  readonly layout?: ViewLayout
  /** The actions that it offers, in this order; absent if it offers all of the model. */
  readonly actions?: readonly string[]
  /** Fields that the form accepts when it creates a record; absent if the form does not limit them. */
  readonly creation_fields?: readonly string[]
  /** Fields that the form accepts when it updates a record; absent if the form does not limit them. */
  readonly allowed_update_fields?: readonly string[]
  /** Tables of records that refer to the one in the form, which are stored with it. */
  readonly related?: readonly RelatedRows[]
}

/** A table of a form: records of another model that refer to the one in the form. */
export interface RelatedRows {
  /** The relation of the other model: `invoiceline.invoice_id`. */
  readonly field: string
  /** Absent for the label of the other model. */
  readonly title?: string
  readonly columns: readonly string[]
  /** The form that the rows are written under. */
  readonly form?: string
  readonly sort?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[]
  /** The most rows that the form shows. */
  readonly limit: number
}

/** What a list is displayed as besides a table: the fields that place its records. The first one is displayed at first. */
export interface ViewLayout {
  /** A column for each value of the field. */
  readonly board?: string
  readonly calendar?: { readonly start: string; readonly end?: string; readonly title?: string }
}

/** Options of the methods that return views. */
export interface ViewOptions extends CallOptions {
  /** Adds a generated form or list for each model that has none. */
  readonly generated?: boolean | undefined
}

/** The logged-in user and their permissions. */
export interface Me<User> {
  /** The record of the user; only `id` and `username` for an API key whose scopes have no `view_user`. */
  readonly data: User
  /** Codenames such as `view_post`. */
  readonly permissions: readonly string[]
  /** Whether the user has shown to receive mails at the present address. */
  readonly email_verified?: boolean
  /** False for a user who logs in by a provider, or by keys only. */
  readonly has_password?: boolean
  /** `active`: the user has a second factor. `enrol`: one has to be set up before anything else. */
  readonly second_factor: { readonly active: boolean; readonly enrol: boolean }
}

/** What has happened to an account. */
export interface AccountLogEntry {
  readonly id: number
  /** Such as `login`, `login_failed` or `password_changed`. */
  readonly event: string
  readonly at: string
  readonly user: { readonly id: number; readonly username: string }
  readonly address: string | null
  readonly user_agent: string | null
  /** How, such as `password`; `shell` or `other_user` if not by the user. */
  readonly method: string | null
  /** Id of the session. */
  readonly session: number | null
  readonly request_id: string | null
  /** Failures of a minute from one address are one event. */
  readonly count: number
}

/** Whose events to list; for other users than the logged-in one, superusers only. */
export interface AccountLogQuery extends PageQuery {
  readonly user_id?: number | undefined
  readonly all?: boolean | undefined
}

/** An invitation to create an account, with its link. */
export interface InvitationWithLink {
  readonly id: number
  readonly email: string
  /** Ids of groups. */
  readonly groups: readonly number[]
  readonly invited_by: { readonly id: number; readonly username: string } | null
  readonly created_at: string
  readonly expires_at: string
  readonly link: string
  /** Whether the link is also sent by mail. */
  readonly mailed: boolean
}

/** A session of the logged-in user. Those that an earlier version of the server started lack what is null. */
export interface LoginSession {
  readonly id: number
  readonly created_at: string
  /** Time of the last login or refresh. */
  readonly last_used_at: string | null
  /** Address of the client at that time; the /56 network of an IPv6 address. */
  readonly address: string | null
  /** The first 200 characters of its `User-Agent`. */
  readonly user_agent: string | null
  /** True for the session of this client. */
  readonly current: boolean
}

/** An identity at a provider, by which a user logs in. */
export interface LinkedIdentity {
  readonly id: number
  /** Name of the provider; null if the server does not know it any more. */
  readonly provider: string | null
  readonly title: string
  /** How the provider names the user. */
  readonly subject: string
  readonly email: string | null
  readonly created_at: string
}

/** An API key, without the key. */
export interface ApiKey {
  readonly id: number
  readonly name: string
  readonly owner: { readonly id: number; readonly username: string }
  /** `adm_…` and its last four characters. */
  readonly hint: string
  readonly scopes: readonly string[]
  readonly created_at: string
  /** Null for a key that does not expire. */
  readonly expires_at: string | null
  /** To the minute. */
  readonly last_used_at: string | null
}

/** A new API key, with the key. */
export interface NewApiKey extends ApiKey {
  readonly key: string
}

/** What an API key is created with. */
export interface ApiKeyRequest {
  readonly name: string
  /** Permissions such as `view_article`, or `read`, `write`, `*`. */
  readonly scopes: readonly string[]
  /** Default: 90. Null for a key that does not expire. */
  readonly expires_in_days?: number | null
  /** Another owner; for superusers. */
  readonly user_id?: number
}

/** A change of a record. */
export interface HistoryEntry<Key extends string = string> {
  readonly id: number
  readonly model: Key
  readonly record_id: number
  readonly action: 'create' | 'update' | 'delete'
  readonly at: string
  /** Null for a change that no user made. */
  readonly user: { readonly id: number; readonly username: string | null } | null
  readonly via: 'api' | 'cli' | 'import' | 'mock' | 'restore' | 'cascade' | 'action' | 'hook' | 'endpoint' | 'job' | 'script'
  /** The id of the request in the server's log. */
  readonly request_id: string | null
  /** By field. */
  readonly changes: Readonly<Record<string, HistoryChange>>
}

/** The change of a field. A value is null where the record did not exist or the field was empty. */
export interface HistoryChange {
  readonly before: unknown
  readonly after: unknown
  /** Present for a secret field, whose values are not recorded. */
  readonly secret?: true
  /** Present if the user could not view the record before or after the change; the values of that side are null. */
  readonly hidden?: true
}

/** Fields of history entries to sort by. */
export type HistorySortKey = 'id' | 'model' | 'record_id' | 'action' | 'at' | 'user_id' | 'username' | 'via' | 'request_id'

/** The query of a history; the latest changes come first unless `sort` is given. */
export interface HistoryQuery extends PageQuery {
  /** Filters, as of records: `{ action: 'update', username: 'ann', at__gte: '2026-01-01' }`. */
  readonly filters?: FilterObject | readonly string[] | undefined
  /** Groups of filters; an entry must match one filter of each group. */
  readonly any?: readonly (FilterObject | readonly string[])[] | undefined
  readonly sort?: readonly (HistorySortKey | `-${HistorySortKey}`)[] | undefined
}

/** A change of a record, as a subscription is told of it. It contains no data of the record. */
export interface ChangeEvent<Key extends string = string> {
  readonly model: Key
  readonly record_id: number
  readonly action: 'create' | 'update' | 'delete'
  readonly at: string
}

/** Options of `subscribe`. Callbacks may return a promise; the next event waits for it. An error that they throw ends the subscription. */
export interface SubscribeOptions<Key extends string = string> {
  /** Models whose changes are reported; by default all that the user may view. */
  readonly models?: readonly Key[] | undefined
  /** Called for each change, in the order of the commits. */
  readonly onChange: (change: ChangeEvent<Key>) => void | Promise<void>
  /** Called when changes may have been missed, so that what was read before must be read again. Later changes are reported. */
  readonly onReset?: (() => void | Promise<void>) | undefined
  /** Called before each request for the stream: the first, and those after a connection was lost or did not come about. */
  readonly onRequest?: (() => void | Promise<void>) | undefined
  /** Called with true when changes are reported from now on, and with false when the connection is lost. */
  readonly onConnection?: ((isConnected: boolean) => void | Promise<void>) | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined
}
