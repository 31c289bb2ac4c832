import type { Position, TextEdit } from '../config/source.ts'

/** Severity of a finding. Notes are compatible changes of the API, and what a reader should know; they are reported but not counted. */
export type Severity = 'error' | 'warn' | 'note'

/** A finding of a rule, with its position. */
export interface Finding {
  /** Id of the rule, such as `view/unknown-field`. */
  readonly rule: string
  readonly severity: Severity
  readonly message: string
  /** Path relative to the folder of the report; for faults outside of files their origin, such as `environment ADMIN_PORT`. */
  readonly file: string
  /** Line and column start at 1; columns count UTF-16 code units. */
  readonly line: number
  readonly column: number
  /** Position behind the last character. */
  readonly end: { readonly line: number; readonly column: number }
  /** True if it prevents `admin serve` from starting. */
  readonly stopsServe: boolean
  /** The edit of `--fix`. */
  readonly fix?: TextEdit
  /** For changes since another version: true if existing clients can fail. */
  readonly breaking?: boolean
  /** The stored record concerned. */
  readonly record?: { readonly model: string; readonly id: number; readonly field: string }
}

/** Result of a lint run. */
export interface LintResult {
  readonly findings: readonly Finding[]
  /** Number of files read. */
  readonly files: number
  /** Number of findings fixed by `--fix`; they are not among the findings. */
  readonly fixed: number
  /** False if the stored records were not checked: not asked for, or impossible since the project has faults that prevent a start. */
  readonly checkedRecords: boolean
  /** Texts of the files by the names used in findings, for showing positions. */
  readonly texts: ReadonlyMap<string, string>
}

/** Orders findings by file and position. */
export function byPosition(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
}

/** Number of findings by severity. */
export function countBySeverity(findings: readonly Finding[]): Readonly<Record<Severity, number>> {
  const count = { error: 0, warn: 0, note: 0 }
  for (const { severity } of findings) count[severity]++
  return count
}

/** End of the span at a position, if known; otherwise the end of the word there. */
export function endOf({ line, column, end }: Position, text: string | undefined): Finding['end'] {
  if (end !== undefined) return end
  const rest = text?.split('\n')[line - 1]?.slice(column - 1) ?? ''
  const [word = ' '] = /^(?:[\w$]+|.)/.exec(rest) ?? []
  return { line, column: column + word.length }
}
