import { commentLines } from '../config/source.ts'

/** A comment that disables rules for the following line. */
export interface Directive {
  /** The line that it applies to: the next one without such a comment. */
  readonly target: number
  readonly ids: readonly { readonly id: string; readonly line: number; readonly column: number }[]
}

const DIRECTIVE = /^\s*#\s*admin-lint-disable-next-line(?:\s+(.*))?$/

/** Parses `# admin-lint-disable-next-line <id>[, <id>]… [reason]` comments in a YAML file, each on a line of its own. */
export function directivesIn(file: string, text: string): Directive[] {
  if (!/\.ya?ml$/.test(file) || !text.includes('admin-lint-disable-next-line')) return []
  const lines = text.split(/\r?\n/)
  const comments = commentLines(text)
  const isDirective = (index: number) => comments.has(index + 1) && DIRECTIVE.test(lines[index] ?? '')
  return lines.flatMap((line, index) => {
    const [whole, list = ''] = isDirective(index) ? (DIRECTIVE.exec(line) ?? []) : []
    if (whole === undefined) return []
    const start = whole.length - list.length
    const ids = idsIn(list).map(({ id, at }) => ({ id, line: index + 1, column: start + at + 1 }))
    let target = index + 1
    while (isDirective(target)) target++
    return [{ target: target + 1, ids }]
  })
}

/** The ids are the first word and further words joined by commas or slashes; the rest is the reason. */
function idsIn(list: string): { id: string; at: number }[] {
  const words = [...list.matchAll(/[^\s,]+/g)].map(({ 0: id, index }) => ({ id, at: index }))
  const isId = ({ id, at }: { id: string; at: number }, index: number) =>
    /\w/.test(id) && (index === 0 || id.includes('/') || /,\s*$/.test(list.slice(0, at)))
  const end = words.findIndex((word, index) => !isId(word, index))
  return end === -1 ? words : words.slice(0, end)
}
