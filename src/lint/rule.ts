import type { Change, Definition, Path, Source } from '../config/source.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { FieldViewDefinition, FormViewDefinition, ViewDefinition } from '../views/definition.ts'
import type { Finding } from './finding.ts'
import type { LintProject } from './project.ts'

/**
 * A lint rule. Faults that prevent a start are found by the loader; a rule of that kind only explains them. Other rules have a
 * check function for the project, or for each model, view or view field.
 */
export interface Rule {
  /** Stable, since settings and comments refer to it. The rule's file is `rules/<id>.ts`, or stands in a subfolder of its group. */
  readonly id: string
  /** Default severity. Rules whose violation prevents a start are always errors. */
  readonly severity: 'error' | 'warn'
  /** One line. */
  readonly summary: string
  /** Why it matters, and what to write instead. */
  readonly details: string
  /** Each example has exactly the marked findings of this rule. */
  readonly invalid: readonly Example[]
  /** Examples without a finding of this rule. */
  readonly valid: readonly Example[]
  readonly project?: (project: LintProject, report: Report) => void
  readonly model?: (context: ModelContext, report: Report) => void
  readonly view?: (context: ViewContext, report: Report) => void
  readonly field?: (context: FieldContext, report: Report) => void
  /** Compares a project with an earlier version. */
  readonly compare?: (before: LintProject, after: LintProject, report: Report) => void
}

/**
 * Project files that show a rule, beside the models of `example.ts`. In an invalid example the marks `»` and `«` enclose the
 * finding.
 */
export interface Example {
  readonly files: Readonly<Record<string, string>>
  /** Earlier content of these files, for rules about changes and stored records. */
  readonly before?: Readonly<Record<string, string>>
}

/** Reports a finding. */
export type Report = (source: Source, path: Path, message: string, about?: ReportDetails) => void

interface ReportDetails extends Pick<Finding, 'breaking' | 'record'> {
  readonly part?: 'key' | 'value'
  /** A fix that does not change what the API accepts, rejects or stores. */
  readonly fix?: Change
}

/** A model of the project, as passed to the check `model`. */
export interface ModelContext {
  readonly project: LintProject
  readonly model: Model
  readonly definition: Definition
  readonly source: Source
}

/** A view of the project, as passed to the check `view`. */
export interface ViewContext {
  readonly project: LintProject
  readonly view: ViewDefinition
  /** The view, if it is a form. */
  readonly form: FormViewDefinition | undefined
  readonly model: Model
  readonly source: Source
  /** The model's field of a name in the view; undefined if there is none or it is faulty. */
  fieldOf(name: string): Field | undefined
}

/** A field of a view that the model has; the first of its name. */
export interface FieldContext extends ViewContext {
  readonly field: FieldViewDefinition
  readonly modelField: Field
  readonly path: Path
}

/** Distinct names in a list of a form, with their paths. */
export function allowListNames(form: FormViewDefinition, list: 'creation_fields' | 'allowed_update_fields'): [string, Path][] {
  const names = form[list] ?? []
  return names.flatMap((name, index) => (names.indexOf(name) === index ? [[name, [list, index]] as [string, Path]] : []))
}

/** The keys of a form that list the fields it accepts. */
export const ALLOW_LISTS = ['creation_fields', 'allowed_update_fields'] as const

/** The fields that a form accepts; undefined for all. Without a list of its own, an update uses that of creation. */
export function allowLists({ creation_fields: create, allowed_update_fields: update = create }: FormViewDefinition): {
  create: readonly string[] | undefined
  update: readonly string[] | undefined
} {
  return { create, update }
}

/** Joins quoted names: `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`. */
export function quoted(names: readonly string[], last = 'and'): string {
  const all = names.map((name) => `'${name}'`)
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`
}
