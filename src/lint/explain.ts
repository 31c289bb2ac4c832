import type { Paint } from './formats.ts'
import { type Example, type Span, unmark } from './rule.ts'
import { RULE_IDS, RULES, type RuleId } from './rules.ts'

/** The page of a rule: what it finds, why it matters, what to write instead, and examples. */
export function explain(id: RuleId, paint: Paint): string {
  const { severity, summary, details, invalid, valid } = RULES[id]
  const head = `${paint('bold', id)} (${severity})\n\n${summary}.\n\n${details}\n`
  const part = (title: string, examples: readonly Example[]) =>
    [`\n${paint('bold', title)}\n`, ...examples.map((example) => `\n${exampleText(example, paint)}`)].join('')
  const set = `\nSet it in admin.config: lint: { rules: { ${id}: off } } (or warn, error). Disable it for one line of YAML by a comment
above it: # admin-lint-disable-next-line ${id}. Findings that prevent \`admin serve\` from starting are always errors.\n`
  return `${head}${part('Wrong', invalid)}${part('Right', valid)}${set}`
}

function exampleText({ files, before = {} }: Example, paint: Paint): string {
  const former = Object.entries(before).map(([file, text]) => `  ${paint('dim', `${file}, before`)}\n${indent(text)}`)
  const now = Object.entries(files).map(([file, marked]) => {
    const { text, spans } = unmark(marked)
    const [span] = spans
    return `  ${paint('dim', file)}\n${span === undefined ? indent(text) : framed(text, span, paint)}`
  })
  return [...former, ...now].join('')
}

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')

/** The whole text with the span underlined. */
function framed(text: string, span: Span, paint: Paint): string {
  const lines = text.trimEnd().split('\n')
  const stop = span.end.line === span.line ? span.end.column : (lines[span.line - 1]?.length ?? 0) + 1
  const marks = `${' '.repeat(span.column - 1)}${paint('red', '^'.repeat(Math.max(1, stop - span.column)))}`
  lines.splice(span.line, 0, marks)
  return indent(`${lines.join('\n')}\n`)
}

/** A table of all rules. */
export function listRules(): string {
  const width = Math.max(...RULE_IDS.map((id) => id.length))
  return RULE_IDS.map((id) => `${id.padEnd(width)}  ${RULES[id].severity.padEnd(5)}  ${RULES[id].summary}\n`).join('')
}
