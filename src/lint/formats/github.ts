import type { Severity } from '../finding.ts'
import type { Format } from './format.ts'

const COMMANDS = { error: 'error', warn: 'warning', note: 'notice' } as const satisfies Record<Severity, string>

/** Workflow commands of GitHub Actions, shown as annotations. Columns are allowed only within one line. */
export const github: Format = ({ findings }) =>
  findings
    .map(({ severity, rule, message, file, line, column, end }) => {
      const columns = end.line === line ? { col: column, endColumn: end.column } : {}
      const properties = Object.entries({ file, line, endLine: end.line, ...columns, title: rule })
      return `::${COMMANDS[severity]} ${properties.map(([key, value]) => `${key}=${property(value)}`).join(',')}::${data(message)}\n`
    })
    .join('')

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (value: string | number): string => data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')
