import type { Definition } from '../config/source.ts'
import type { DefinedModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import type { DefinedView } from '../views/views.ts'

/** A project as rules see it: what could be understood of its files, with places. */
export interface LintProject {
  readonly config: Definition | undefined
  /** All models, those that the product brings along too. */
  readonly registry: Registry
  /** The project's own models. */
  readonly models: readonly DefinedModel[]
  readonly views: readonly DefinedView[]
  /**
   * Of which model and kind each view is meant to be, also those that are faulty; what cannot be told of one is left out and
   * may be anything.
   */
  readonly intendedViews: readonly { readonly model?: string; readonly kind?: 'form' | 'list' }[]
  /** What was read, by the names of files. */
  readonly texts: ReadonlyMap<string, string>
  /** The ids of all rules. */
  readonly ruleIds: readonly string[]
  /** Why a cross-field rule that can be compiled cannot do what is meant; nothing when it can. */
  readonly ruleProblems: (rule: string, model: Model) => readonly string[]
  /** True for a field that only a superuser may set. */
  readonly isPrivileged: (model: Model, field: string) => boolean
  /** Stored records that break their model; only looked for when they are asked for. */
  readonly records?: readonly BrokenRecord[]
}

/** A stored record that breaks its model as it is now. */
export interface BrokenRecord {
  readonly model: string
  readonly id: number
  readonly field: string
  readonly message: string
}
