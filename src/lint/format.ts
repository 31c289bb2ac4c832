import type { LintReport } from './finding.ts'

/** What a format may know beside the report. */
export interface FormatContext {
  /** Colours a part of a text, where somebody looks at it. */
  readonly paint: Paint
  /** The version of this program. */
  readonly version: string
  /** The least severity that makes a run fail. */
  readonly failOn: 'error' | 'warn'
}

export type Paint = (style: 'red' | 'yellow' | 'cyan' | 'dim' | 'bold' | 'green', text: string) => string

export type Format = (report: LintReport, context: FormatContext) => string
