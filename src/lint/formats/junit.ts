import type { Finding } from '../finding.ts'
import type { Format } from './format.ts'

/** JUnit XML for Jenkins and GitLab: one suite for each file. Findings that fail the run are failures, others output. */
export const junit: Format = ({ findings, texts }, { failOn }) => {
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
