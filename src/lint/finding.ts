import type { Position, TextEdit } from '../config/source.ts'

/** How much a finding matters. Notes are told and never counted: changes of a contract that break nothing. */
export type Severity = 'error' | 'warn' | 'note'

/** Something that a rule found, and where. */
export interface Finding {
  /** The rule's id, such as `view/unknown-field`. */
  readonly rule: string
  readonly severity: Severity
  readonly message: string
  /** Path from the folder that the report is for; of a fault in no file, what it is in, such as `environment ADMIN_PORT`. */
  readonly file: string
  /** From 1, as columns are, which count UTF-16 code units. */
  readonly line: number
  readonly column: number
  /** Just behind the last character. */
  readonly end: { readonly line: number; readonly column: number }
  /** True when `admin serve` refuses the project for it. */
  readonly stopsServe: boolean
  /** What `--fix` would do. */
  readonly fix?: TextEdit
  /** Of a change since another version: whether clients that worked can fail. */
  readonly breaking?: boolean
  /** The stored record that it is about. */
  readonly record?: { readonly model: string; readonly id: number; readonly field: string }
}

/** What a run found. */
export interface LintReport {
  readonly findings: readonly Finding[]
  /** How many files of the project were read. */
  readonly files: number
  /** How many findings `--fix` has mended; they are no longer among the findings. */
  readonly fixed: number
  /** What was read, by the names that findings use, for showing the place of a finding. */
  readonly texts: ReadonlyMap<string, string>
}

/** In the order of files and lines. */
export function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
}

/** How many there are of each severity. */
export function countBySeverity(findings: readonly Finding[]): Readonly<Record<Severity, number>> {
  const count = { error: 0, warn: 0, note: 0 }
  for (const { severity } of findings) count[severity]++
  return count
}

/** The end of what stands at a place: as far as it is known, or else of the word there. */
export function endOf({ line, column, end }: Position, text: string | undefined): Finding['end'] {
  if (end !== undefined) return end
  const rest = text?.split('\n')[line - 1]?.slice(column - 1) ?? ''
  const [word = ' '] = /^(?:[\w$]+|.)/.exec(rest) ?? []
  return { line, column: column + word.length }
}
