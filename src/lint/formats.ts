import type { Format } from './formats/format.ts'
import { github } from './formats/github.ts'
import { json } from './formats/json.ts'
import { junit } from './formats/junit.ts'
import { pretty } from './formats/pretty.ts'
import { sarif } from './formats/sarif.ts'

/** All report formats by name. */
export const FORMATS = { pretty, json, github, sarif, junit } as const satisfies Readonly<Record<string, Format>>

/** Name of a report format. */
export type FormatName = keyof typeof FORMATS

/** The names of all report formats. */
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[]
