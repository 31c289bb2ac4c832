import type { Definition, Path, Source, TextChange } from '../config/source.ts'
import type { Field } from '../model/field.ts'
import type { Model } from '../model/model.ts'
import type { FieldViewDefinition, FormViewDefinition, ViewDefinition } from '../views/definition.ts'
import type { Finding, Severity } from './finding.ts'
import type { LintProject } from './project.ts'

/**
 * A lint rule. Faults that prevent a start are found by the loader; a rule of that kind only explains them. Other rules have a
 * check function for the project, or for each model, view or view field.
 */
export interface LintRule {
  /** Default severity. Rules whose faults prevent a start are always errors. */
  readonly severity: Severity
  /** One line. */
  readonly summary: string
  /** Why it matters, and what to write instead. */
  readonly details: string
  /** Each example has exactly the marked findings of this rule. */
  readonly invalid: readonly Example[]
  /** Examples without a finding of this rule. */
  readonly valid: readonly Example[]
  readonly project?: (project: LintProject, report: ReportFinding) => void
  readonly model?: (context: ModelContext, report: ReportFinding) => void
  readonly view?: (context: ViewContext, report: ReportFinding) => void
  readonly field?: (context: FieldContext, report: ReportFinding) => void
  /** Compares a project with an earlier version. */
  readonly compare?: (before: LintProject, after: LintProject, report: ReportFinding) => void
}

/**
 * Project files that show a rule, beside the models Post and Tag of the tests. In an invalid example the marks `»` and `«` enclose the
 * finding.
 */
export interface Example {
  readonly files: Readonly<Record<string, string>>
  /** Earlier content of these files, for rules about changes and stored records. */
  readonly before?: Readonly<Record<string, string>>
}

/** Reports a finding. */
export type ReportFinding = (source: Source, path: Path, message: string, about?: ReportDetails) => void

interface ReportDetails extends Pick<Finding, 'breaking' | 'record'> {
  readonly part?: 'key' | 'value'
  /** A fix that does not change what the API accepts, rejects or stores. */
  readonly fix?: TextChange
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

const INTRO = 'name: PostForm\nview_type: form\nmodel: Post\n'

/** An example with one form view of Post. */
export const formExample = (rest: string): Example => ({ files: { 'views/post.yaml': `${INTRO}${rest}` } })

/** An example with one list view of Post. */
export const listExample = (rest: string): Example => ({
  files: { 'views/post.yaml': `name: PostList\nview_type: list\nmodel: Post\n${rest}` },
})

/** An example with one model file. */
export const modelExample = (text: string): Example => ({ files: { 'models/other.yaml': text } })

/** An example with settings. */
export const configExample = (text: string): Example => ({ files: { 'admin.config.yaml': text } })

/** An example of a change in one file. */
export const changeExample = (file: string, before: string, after: string): Example => ({
  files: { [file]: after },
  before: { [file]: before },
})

/** An example of a change of one form view of Post. */
export const formChangeExample = (before: string, after: string): Example =>
  changeExample('views/post.yaml', `${INTRO}${before}`, `${INTRO}${after}`)

/** An example of a change of the only field of a model. */
export const fieldChangeExample = (before: string, after: string): Example => {
  const model = (field: string) => `name: Note\nfields:\n  - ${field}\n`
  return changeExample('models/note.yaml', model(before), model(after))
}

const START = '»'
const END = '«'

/** A span of a text; positions start at 1, the end is exclusive. */
export interface Span {
  readonly line: number
  readonly column: number
  readonly end: { readonly line: number; readonly column: number }
}

/** Removes the marks `»` and `«` from a text and returns the marked spans. */
export function unmark(marked: string): { text: string; spans: Span[] } {
  const spans: Span[] = []
  const open: Omit<Span, 'end'>[] = []
  let text = ''
  let line = 1
  let column = 1
  for (const character of marked) {
    if (character === START) open.push({ line, column })
    else if (character === END) {
      const start = open.pop()
      if (start !== undefined) spans.push({ ...start, end: { line, column } })
    } else {
      text += character
      column += character.length
      if (character === '\n') [line, column] = [line + 1, 1]
    }
  }
  return { text, spans }
}
