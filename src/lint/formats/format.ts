import type { LintReport } from '../finding.ts'

/** Context of a report format. */
export interface FormatContext {
  /** Colours a part of the text on a terminal. */
  readonly paint: Paint
  /** Version of this program. */
  readonly version: string
  /** The lowest severity that makes a run fail. */
  readonly failOn: 'error' | 'warn'
}

/** Colours a text; returns it unchanged where colours are off. */
export type Paint = (style: 'red' | 'yellow' | 'cyan' | 'dim' | 'bold' | 'green', text: string) => string

/** Renders a report as text. Pure: it neither reads nor writes anything. */
export type Format = (report: LintReport, context: FormatContext) => string
