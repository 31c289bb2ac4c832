import { countBySeverity, type Finding, type LintResult } from './finding.ts'

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
export type ReportFormat = (report: LintResult, context: FormatContext) => string

/** Incremented when a member changes its meaning or is removed; new members do not count. */
const VERSION = 1

/** JSON for programs, described by `REPORT_SCHEMA`. */
export const jsonReport: ReportFormat = ({ findings, files, fixed }) => {
  const { error, warn, note } = countBySeverity(findings)
  const summary = { files, errors: error, warnings: warn, notes: note, fixed }
  return `${JSON.stringify({ version: VERSION, summary, findings: findings.map(asMember) }, null, 2)}\n`
}

function asMember({ rule, severity, message, file, line, column, end, stopsServe, fix, breaking, record }: Finding): object {
  return {
    rule,
    severity,
    message,
    file,
    line,
    column,
    end_line: end.line,
    end_column: end.column,
    stops_serve: stopsServe,
    fixable: fix !== undefined,
    ...(breaking === undefined ? {} : { breaking }),
    ...(record === undefined ? {} : { record }),
  }
}

const whole = (description: string, minimum = 0) => ({ type: 'integer', minimum, description })

/** JSON Schema (draft 2020-12) of the JSON format. */
export const REPORT_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Report of admin lint --format json',
  type: 'object',
  required: ['version', 'summary', 'findings'],
  properties: {
    version: {
      const: VERSION,
      description: 'Incremented when a member changes its meaning or is removed; members may be added.',
    },
    summary: {
      type: 'object',
      required: ['files', 'errors', 'warnings', 'notes', 'fixed'],
      properties: {
        files: whole('Number of project files read.'),
        errors: whole('Number of findings of severity error.'),
        warnings: whole('Number of findings of severity warn.'),
        notes: whole('Number of findings of severity note: compatible changes since another version.'),
        fixed: whole('Number of findings fixed by --fix; they are not listed.'),
      },
    },
    findings: {
      type: 'array',
      description: 'Ordered by file and position.',
      items: {
        type: 'object',
        required: [
          ...['rule', 'severity', 'message', 'file', 'line', 'column'],
          ...['end_line', 'end_column', 'stops_serve', 'fixable'],
        ],
        properties: {
          rule: { type: 'string', description: 'Stable id, such as view/unknown-field.' },
          severity: { enum: ['error', 'warn', 'note'] },
          message: { type: 'string', description: 'For people; the wording may change.' },
          file: { type: 'string', description: 'Path relative to the current folder, with slashes.' },
          line: whole('Line, from 1.', 1),
          column: whole('Column, from 1, in UTF-16 code units.', 1),
          end_line: whole('Line of the end.', 1),
          end_column: whole('Column behind the last character.', 1),
          stops_serve: { type: 'boolean', description: 'True if it prevents admin serve from starting.' },
          fixable: { type: 'boolean', description: 'True if --fix can fix it.' },
          breaking: { type: 'boolean', description: 'With --against: true if existing clients can fail.' },
          record: {
            type: 'object',
            description: 'With --data: the stored record concerned.',
            required: ['model', 'id', 'field'],
            properties: { model: { type: 'string' }, id: whole('Id of the record.', 1), field: { type: 'string' } },
          },
        },
      },
    },
  },
} as const
