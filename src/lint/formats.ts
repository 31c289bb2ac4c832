import type { LintReport } from './finding.ts'
import { github } from './formats/github.ts'
import { json } from './formats/json.ts'
import { junit } from './formats/junit.ts'
import { pretty } from './formats/pretty.ts'
import { sarif } from './formats/sarif.ts'

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

/** Every way to show a report. */
export const FORMATS = { pretty, json, github, sarif, junit } as const satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]
