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
  readonly user: { readonly id: number | null; readonly username: string | null; readonly is_superuser: boolean }
  readonly capabilities: Readonly<Record<SiteCapability, boolean>>
  readonly limits: SiteLimits
  /** Models for which the user has a permission. */
  readonly models: readonly SiteModel<Key>[]
}

/** A part of the API that the user may use. */
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
  readonly fields: readonly SiteField[]
  /** Fields of other models that refer to this one. */
  readonly referenced_by: readonly { readonly model: string; readonly field: string; readonly on_delete: OnDelete }[]
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
  readonly relation: { readonly name: string; readonly model: string; readonly on_delete: OnDelete | null } | null
}

/** Options of a search over all models. */
export interface SiteSearchQuery<Key extends string = string> {
  /** Models to search; by default all that the user may view. */
  readonly models?: readonly Key[] | undefined
  /** Maximum number of hits, 1 to 50. Default: 20. */
  readonly limit?: number | undefined
}

/** The best hits of a search over all models, the best first. */
export interface SiteSearchResult<Key extends string = string> {
  readonly data: readonly SiteHit<Key>[]
  /** Number of matching records in all models. */
  readonly total: number
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
