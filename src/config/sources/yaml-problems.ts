import type { YAMLParseError } from 'yaml'

/** A fault of a YAML text, and where it begins. */
export interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/**
 * The faults of a YAML text in plain words. A fault of the syntax makes the parser misread the rest of the text, so only the first
 * one is reported; duplicate keys are reported all.
 */
export function yamlProblems(errors: readonly YAMLParseError[], text: string): YamlProblem[] {
  const first = errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  return errors
    .filter((error) => error === first || error.code === 'DUPLICATE_KEY')
    .map((error) => ({ offset: error.pos[0], message: wordsFor(error, text) }))
}

function wordsFor({ code, message, pos: [offset] }: YAMLParseError, text: string): string {
  const line = lineAt(text, offset)
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'the line is indented with a tab; use spaces'
    case 'DUPLICATE_KEY':
      return `the key '${/^["']?([^:"'\s]+)/.exec(text.slice(offset))?.[1] ?? ''}' is given twice in the same mapping; remove one`
    case 'MULTIPLE_DOCS':
      return 'a file holds one document; write several definitions as a list'
    case 'BAD_SCALAR_START':
      return `a value cannot begin with ${text[offset] ?? 'this character'}; put it into quotes`
    case 'BAD_INDENT':
    case 'BLOCK_IN_FLOW':
      if (/: +$/.test(text.slice(0, offset)) && /^[^,{}[\]\n]+:\s/.test(text.slice(offset))) return COLON
      return /[{[]/.test(text.slice(0, offset)) ? 'a { or [ is not closed, here or above' : INDENT
    case 'MULTILINE_IMPLICIT_KEY':
      return `'${line.trim()}' is neither a key with a value nor part of the value above; write 'key: value', or correct the indentation`
    case 'BLOCK_AS_IMPLICIT_KEY':
      return !/sequence/.test(message) && /:\s.*:\s/.test(line) ? COLON : INDENT
    case 'MISSING_CHAR':
      return /quote/.test(message) ? 'a text in quotes is not closed, here or above' : INDENT
    default:
      return message
  }
}

const COLON = "the value contains ': '; put it into quotes"
const INDENT = 'the line is indented differently from the lines that it belongs to'

const lineAt = (text: string, offset: number): string =>
  text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? ''
