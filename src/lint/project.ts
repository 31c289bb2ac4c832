import type { Definition, Source } from '../config/source.ts'
import type { DefinedModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { DefinedView } from '../views/views.ts'

/** A project as rules see it: the readable parts of its files, with positions. */
export interface LintProject {
  readonly config: Definition | undefined
  /** The setting `files.max_size` in bytes, which may come from the environment. */
  readonly maxFileBytes: number
  /** Names of the groups that roles define; undefined if seed records define groups, too. */
  readonly groups: readonly string[] | undefined
  /** All models, including built-in ones. */
  readonly registry: Registry
  /** The project's own models. */
  readonly models: readonly DefinedModel[]
  readonly views: readonly DefinedView[]
  readonly actions: readonly { readonly model: Model; readonly name: string; readonly source: Source }[]
  readonly endpoints: readonly DefinedEndpoint[]
  /** The file of the panels on the first page. */
  readonly dashboard: Definition | undefined
  /** Names of the roles. Other groups are records. */
  readonly roles: readonly string[]
  /** Model and kind of each view, including faulty ones. A missing member is unknown and may be anything. */
  readonly intendedViews: readonly { readonly model?: string; readonly kind?: 'form' | 'list' }[]
  /** Texts of the files by name. */
  readonly texts: ReadonlyMap<string, string>
  /** Ids of all rules. */
  readonly ruleIds: readonly string[]
  /** Why a compiled cross-field rule cannot work as intended; empty if it can. */
  readonly ruleProblems: (rule: string, model: Model) => readonly string[]
  /** True for a field that only a superuser may set. */
  readonly isPrivileged: (model: Model, field: string) => boolean
  /** Stored records that break their model; absent unless requested. */
  readonly records?: readonly BrokenRecord[]
  /** Stored names that may be former names; absent unless requested. */
  readonly lostNames?: readonly LostName[]
}

/** An endpoint of the project's code. */
export interface DefinedEndpoint {
  readonly method: string
  /** `/orders/{id}` */
  readonly path: string
  readonly isPublic: boolean
  readonly source: Source
}

/** A stored field or table that the project does not have, and a field or model without stored values that it may have become. */
export interface LostName {
  readonly model: string
  /** Undefined for a model. */
  readonly field: string | undefined
  /** The stored name. */
  readonly was: string
  /** Number of stored records that have it. */
  readonly records: number
}

/** A stored record that breaks its present model. */
export interface BrokenRecord {
  readonly model: string
  readonly id: number
  readonly field: string
  readonly message: string
}
