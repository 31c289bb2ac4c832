import type { Finding, Severity } from '../finding.ts'
import { RULE_IDS, RULES } from '../rules.ts'
import type { Format } from './format.ts'

const LEVELS = { error: 'error', warn: 'warning', note: 'note' } as const satisfies Record<Severity, string>

/** SARIF 2.1.0 (OASIS) for code scanning services. It describes every rule. */
export const sarif: Format = ({ findings }, { version }) => {
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
