import type { Change, Definition, Path, Source } from '../config/source.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { FieldViewDefinition, FormViewDefinition, ViewDefinition } from '../views/definition.ts'
import type { Finding } from './finding.ts'
import type { LintProject } from './project.ts'

/**
 * One thing that can be wrong with a project. What keeps a project from being served is found where it is read; a rule of that
 * kind only explains it. Others look for themselves: at everything, or at each model, view or field of a view.
 */
export interface Rule {
  /** Stable: settings and comments refer to it. Its file is `rules/<id>.ts`. */
  readonly id: string
  /** What a finding is unless the settings say otherwise. What stops `admin serve` is always an error. */
  readonly severity: 'error' | 'warn'
  /** One line. */
  readonly summary: string
  /** Why it matters, and what to write instead. */
  readonly details: string
  readonly invalid: readonly Example[]
  readonly valid: readonly Example[]
  readonly project?: (project: LintProject, report: Report) => void
  readonly model?: (context: ModelContext, report: Report) => void
  readonly view?: (context: ViewContext, report: Report) => void
  readonly field?: (context: FieldContext, report: Report) => void
  /** Holds a project against an earlier version of it. */
  readonly compare?: (before: LintProject, after: LintProject, report: Report) => void
}

/**
 * Files of a project that shows a rule: in an invalid one, what is found stands between the marks `»` and `«`. Beside them are
 * the models of `example.ts`.
 */
export interface Example {
  readonly files: Readonly<Record<string, string>>
  /** What stood in these files before, for rules about changes and about stored records. */
  readonly before?: Readonly<Record<string, string>>
}

/** Says that something was found. */
export type Report = (source: Source, path: Path, message: string, about?: ReportDetails) => void

interface ReportDetails extends Pick<Finding, 'breaking' | 'record'> {
  readonly part?: 'key' | 'value'
  /** What mends it without changing what the API accepts, refuses or stores. */
  readonly fix?: Change
}

export interface ModelContext {
  readonly project: LintProject
  readonly model: Model
  readonly definition: Definition
  readonly source: Source
}

export interface ViewContext {
  readonly project: LintProject
  readonly view: ViewDefinition
  /** The view, when it is a form. */
  readonly form: FormViewDefinition | undefined
  readonly model: Model
  readonly source: Source
  /** The model's field that a name in the view means; nothing where there is none, or it is at fault itself. */
  fieldOf(name: string): Field | undefined
}

/** A field of a view, the first of its name, that the model has. */
export interface FieldContext extends ViewContext {
  readonly field: FieldViewDefinition
  readonly modelField: Field
  readonly path: Path
}

/** Names in a list of a form, each once, with their places. */
export function namesIn(form: FormViewDefinition, list: 'creation_fields' | 'allowed_update_fields'): [string, Path][] {
  const names = form[list] ?? []
  return names.flatMap((name, index) => (names.indexOf(name) === index ? [[name, [list, index]] as [string, Path]] : []))
}

export const LISTS = ['creation_fields', 'allowed_update_fields'] as const

/** What a form lets through: undefined stands for every field. An update without a list of its own takes that for creation. */
export function allowLists({ creation_fields: create, allowed_update_fields: update = create }: FormViewDefinition): {
  create: readonly string[] | undefined
  update: readonly string[] | undefined
} {
  return { create, update }
}

/** `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'` */
export function quoted(names: readonly string[], last = 'and'): string {
  const all = names.map((name) => `'${name}'`)
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`
}
