/** A comment that disables rules for the line behind it. */
export interface Directive {
  /** The line that it is about: the next one that is no such comment itself. */
  readonly target: number
  readonly ids: readonly { readonly id: string; readonly line: number; readonly column: number }[]
}

const DIRECTIVE = /^\s*#\s*admin-lint-disable-next-line(?:\s+(.*))?$/

/** `# admin-lint-disable-next-line <id>[, <id>]…` in a YAML file; each on a line of its own. */
export function directivesIn(file: string, text: string): Directive[] {
  if (!/\.ya?ml$/.test(file) || !text.includes('admin-lint-disable-next-line')) return []
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line, index) => {
    const [whole, list = ''] = DIRECTIVE.exec(line) ?? []
    if (whole === undefined) return []
    const start = whole.length - list.length
    const ids = [...list.matchAll(/[^\s,]+/g)].map(({ 0: id, index: at }) => ({ id, line: index + 1, column: start + at + 1 }))
    let target = index + 1
    while (DIRECTIVE.test(lines[target] ?? '')) target++
    return [{ target: target + 1, ids }]
  })
}
