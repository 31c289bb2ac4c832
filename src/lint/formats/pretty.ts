import { codeFrame, withoutControls } from '../explain/code-frame.ts'
import { countBySeverity, type Severity } from '../finding.ts'
import type { Format, Paint } from './format.ts'

const STYLES = { error: 'red', warn: 'yellow', note: 'cyan' } as const satisfies Record<Severity, Parameters<Paint>[0]>

/** For terminals: each finding with its source lines, then a summary. */
export const pretty: Format = ({ findings, files, fixed, texts }, { paint }) => {
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
