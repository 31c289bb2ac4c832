import { withoutUrlPasswords } from '../util/urls.ts'
import { countBySeverity, type Finding, type LintResult, type Severity } from './finding.ts'
import type { Span } from './rule.ts'
import { RULE_IDS, RULES } from './rules.ts'

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

const STYLES = { error: 'red', warn: 'yellow', note: 'cyan' } as const satisfies Record<Severity, Parameters<Paint>[0]>

/** For terminals: each finding with its source lines, then a summary. */
const pretty: ReportFormat = ({ findings, files, fixed, texts }, { paint }) => {
  const blocks = findings.map((finding) => {
    const { file, line, column, severity, rule, message, breaking } = finding
    const text = texts.get(file)
    const label = breaking === true ? 'breaking' : breaking === false ? 'change' : severity
    const head = `${paint('bold', `${withoutControls(file)}:${line}:${column}`)} ${paint(STYLES[severity], label)} ${withoutControls(message)} ${paint('dim', `[${rule}]`)}`
    return text === undefined || text === '' ? head : `${head}\n${codeFrame(text, finding, paint)}`
  })
  const count = countBySeverity(findings)
  const counts = [
    count.error > 0 ? paint('red', several(count.error, 'error')) : '',
    count.warn > 0 ? paint('yellow', several(count.warn, 'warning')) : '',
    count.note > 0 ? paint('cyan', several(count.note, 'note')) : '',
  ].filter((part) => part !== '')
  const fixedText = fixed > 0 ? `, ${several(fixed, 'finding')} fixed` : ''
  const fixable = findings.filter(({ fix }) => fix !== undefined).length
  const hints = [
    fixable > 0 ? `${fixable} can be fixed with --fix.` : '',
    findings.length > 0 ? 'Details of a rule: admin lint --explain <id>.' : '',
  ].filter((hint) => hint !== '')
  const summary = `${counts.length === 0 ? paint('green', 'No findings') : counts.join(', ')} in ${several(files, 'file')}${fixedText}.`
  return [...blocks, [summary, ...hints].join(' ')].map((block) => `${block}\n`).join('\n')
}

const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/**
 * The lines around a span of a file, with the span underlined. Of a span over several lines, the part in its first line is underlined.
 * Passwords of URLs are masked.
 */
export function codeFrame(text: string, { line, column, end }: Span, paint: Paint): string {
  const lines = text.replaceAll('\t', ' ').split(/\r?\n/).map(withoutControls).map(masked)
  const first = Math.max(1, line - 1)
  const last = Math.min(lines.length, line + 1)
  const width = String(last).length
  const gutter = (number: string) => paint('dim', `${number.padStart(width)} |`)
  const shown: string[] = []
  for (let number = first; number <= last; number++) {
    const content = lines[number - 1] ?? ''
    if (number !== line && content.trim() === '') continue
    shown.push(`  ${gutter(String(number))} ${content}`.trimEnd())
    if (number !== line) continue
    const stop = end.line === line ? end.column : content.length + 1
    const marks = '^'.repeat(Math.max(1, Math.min(stop, content.length + 1) - column))
    shown.push(`  ${gutter('')} ${' '.repeat(column - 1)}${paint('red', marks)}`)
  }
  return shown.join('\n')
}

/** Of the same length, so that columns stay. */
const masked = (line: string): string => withoutUrlPasswords(line, (password) => '*'.repeat(password.length))

/** Replaces control characters, since a file may contain terminal escapes. */
const withoutControls = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\uFFFD')

const COMMANDS = { error: 'error', warn: 'warning', note: 'notice' } as const satisfies Record<Severity, string>

/** Workflow commands of GitHub Actions, shown as annotations. Columns are allowed only within one line. */
const github: ReportFormat = ({ findings }) =>
  findings
    .map(({ severity, rule, message, file, line, column, end }) => {
      const columns = end.line === line ? { col: column, endColumn: end.column } : {}
      const properties = Object.entries({ file, line, endLine: end.line, ...columns, title: rule })
      return `::${COMMANDS[severity]} ${properties.map(([key, value]) => `${key}=${property(value)}`).join(',')}::${data(message)}\n`
    })
    .join('')

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (value: string | number): string => data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** JUnit XML for Jenkins and GitLab: one suite for each file. Findings that fail the run are failures, others output. */
const junit: ReportFormat = ({ findings, texts }, { failOn }) => {
  const isFailure = ({ severity }: Finding) => severity === 'error' || (severity === 'warn' && failOn === 'warn')
  const files = [...new Set([...texts.keys(), ...findings.map(({ file }) => file)])].sort()
  const suites = files.map((file) => {
    const own = findings.filter((finding) => finding.file === file)
    const cases =
      own.length === 0 ? [testCase(file, 'no findings', '')] : own.map((finding) => caseOf(finding, isFailure(finding)))
    const attributes = `name="${xml(file)}" tests="${cases.length}" failures="${own.filter(isFailure).length}" errors="0"`
    return `  <testsuite ${attributes}>\n${cases.join('')}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="admin lint">\n${suites.join('')}</testsuites>\n`
}

function caseOf({ rule, severity, message, file, line, column }: Finding, isFailure: boolean): string {
  const place = `${file}:${line}:${column}`
  const text = xml(`${place} ${severity} ${message}`)
  const body = isFailure
    ? `      <failure type="${xml(rule)}" message="${xml(message)}">${text}</failure>\n`
    : `      <system-out>${text}</system-out>\n`
  return testCase(file, `${rule} at ${line}:${column}`, body)
}

function testCase(file: string, name: string, body: string): string {
  const open = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="0"`
  return body === '' ? `${open}/>\n` : `${open}>\n${body}    </testcase>\n`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }

/** XML 1.0 cannot represent control characters. */
const xml = (text: string): string =>
  text.replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '\uFFFD').replaceAll(/[&<>"\n]/g, (one) => ENTITIES[one] ?? one)

const LEVELS = { error: 'error', warn: 'warning', note: 'note' } as const satisfies Record<Severity, string>

/** SARIF 2.1.0 (OASIS) for code scanning services. It describes every rule. */
const sarif: ReportFormat = ({ findings }, { version }) => {
  const driver = {
    name: 'admin-folder',
    semanticVersion: version,
    rules: RULE_IDS.map((id) => ({
      id,
      shortDescription: { text: RULES[id].summary },
      fullDescription: { text: RULES[id].details },
      help: { text: RULES[id].details },
      defaultConfiguration: { level: LEVELS[RULES[id].severity] },
    })),
  }
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results: findings.map(asResult) }
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
  return `${JSON.stringify(log, null, 2)}\n`
}

function asResult({ rule, severity, message, file, line, column, end, breaking, record }: Finding): object {
  const properties = { ...(breaking === undefined ? {} : { breaking }), ...(record && { record }) }
  return {
    ruleId: rule,
    ruleIndex: Object.keys(RULES).indexOf(rule),
    level: LEVELS[severity],
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
          region: { startLine: line, startColumn: column, endLine: end.line, endColumn: end.column },
        },
      },
    ],
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  }
}

/** All report formats by name. */
export const REPORT_FORMATS = { pretty, json: jsonReport, github, sarif, junit } as const satisfies Readonly<
  Record<string, ReportFormat>
>

/** Name of a report format. */
export type FormatName = keyof typeof REPORT_FORMATS

/** The names of all report formats. */
export const FORMAT_NAMES = Object.keys(REPORT_FORMATS) as FormatName[]
