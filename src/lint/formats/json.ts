import { countBySeverity, type Finding } from '../finding.ts'
import type { Format } from '../format.ts'

/** Incremented when a member changes its meaning or is removed; new members do not count. */
const VERSION = 1

/** JSON for programs, described by `REPORT_SCHEMA`. */
export const json: Format = ({ findings, files, fixed }) => {
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
    version: { const: VERSION, description: 'Raised when a member changes its meaning or goes; members may be added.' },
    summary: {
      type: 'object',
      required: ['files', 'errors', 'warnings', 'notes', 'fixed'],
      properties: {
        files: whole('Files of the project that were read.'),
        errors: whole('Findings of severity error.'),
        warnings: whole('Findings of severity warn.'),
        notes: whole('Findings of severity note: changes since another version that break nothing.'),
        fixed: whole('Findings that --fix has mended; they are not listed.'),
      },
    },
    findings: {
      type: 'array',
      description: 'In the order of files and lines.',
      items: {
        type: 'object',
        required: [
          ...['rule', 'severity', 'message', 'file', 'line', 'column'],
          ...['end_line', 'end_column', 'stops_serve', 'fixable'],
        ],
        properties: {
          rule: { type: 'string', description: 'Stable id, such as view/unknown-field.' },
          severity: { enum: ['error', 'warn', 'note'] },
          message: { type: 'string', description: 'For people; its words may change.' },
          file: { type: 'string', description: 'Path from the current folder, with slashes.' },
          line: whole('From 1.', 1),
          column: whole('From 1, in UTF-16 code units.', 1),
          end_line: whole('The line in which it ends.', 1),
          end_column: whole('The column just behind its end.', 1),
          stops_serve: { type: 'boolean', description: 'admin serve refuses the project for it.' },
          fixable: { type: 'boolean', description: '--fix would mend it.' },
          breaking: { type: 'boolean', description: 'With --against: clients that worked can fail.' },
          record: {
            type: 'object',
            description: 'With --data: the stored record that it is about.',
            required: ['model', 'id', 'field'],
            properties: { model: { type: 'string' }, id: whole('Its id.', 1), field: { type: 'string' } },
          },
        },
      },
    },
  },
} as const
