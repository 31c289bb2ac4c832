import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Document, isNode, LineCounter, type Node, parseDocument, type Scalar, visit, type YAMLParseError } from 'yaml'
import { isKeptExactly, isShortest, LongNumeral, shownNumeral } from '../util/numeral.ts'
import { Faults } from './fault.ts'
import { type Definition, flatSource, type Path, type Position, type Source } from './source.ts'
import { editOf, nodeEnd, type ParsedText } from './text-edit.ts'

/** Options of `parseText`. */
interface TextOptions {
  /** Makes a `LongNumeral` of a number with other digits than JavaScript writes for it, as `parseStrictJson` does. */
  readonly keepsNumerals?: boolean
}

/**
 * Parses YAML or JSON into a value with source positions. Duplicate keys, numbers that a double does not keep, syntax errors and excessive
 * alias expansion are faults.
 *
 * @param file the name to show in messages
 */
export function parseText(
  content: string,
  file: string,
  format: 'yaml' | 'json',
  options: TextOptions = {},
): { definition: Definition; faults: Faults } {
  const text = content.replace(/^\uFEFF/, '')
  const faults = new Faults()
  const lines = new LineCounter()
  const jsonError = format === 'json' ? jsonSyntaxError(text) : undefined
  // YAML 1.2 has no merge keys (`<<: *base`), but people who write anchors expect them.
  const merge = format === 'yaml'
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, version: '1.2', merge })
  if (jsonError !== undefined) {
    const { line, col } = lines.linePos(jsonError.offset)
    faults.add(flatSource(file, line, col), [], `Not valid JSON: ${jsonError.message}`)
    return { definition: { value: undefined, source: flatSource(file) }, faults }
  }
  for (const { offset, message } of yamlProblems(document.errors, text)) {
    const { line, col } = lines.linePos(offset)
    faults.add(flatSource(file, line, col), [], `Not valid ${format.toUpperCase()}: ${message}`)
  }
  const source = documentSource({ file, text, format, document }, lines)
  return { definition: { value: faults.any ? undefined : toValue(document, file, lines, faults, options), source }, faults }
}

function toValue(document: Document, file: string, lines: LineCounter, faults: Faults, options: TextOptions): unknown {
  rejectParts(document, file, lines, faults, options)
  try {
    return faults.any ? undefined : document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    faults.add(flatSource(file), [], `Not valid YAML: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** Reports keys that are dangerous when objects are merged, and numbers that a double does not keep. */
function rejectParts(document: Document, file: string, lines: LineCounter, faults: Faults, { keepsNumerals }: TextOptions): void {
  const fault = (node: unknown, message: string) => {
    const { line, col } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : 0)
    faults.add(flatSource(file, line, col), [], message)
  }
  visit(document, {
    Pair(_, { key }) {
      if ((isNode(key) ? key.toString() : String(key)) === '__proto__') fault(key, `'__proto__' cannot be a key`)
    },
    Scalar(_, scalar) {
      const numeral = numeralOf(scalar)
      if (numeral === undefined || isShortest(numeral)) return
      if (!isKeptExactly(numeral)) fault(scalar, `The number ${shownNumeral(numeral)} cannot be kept exactly; ${IN_QUOTES}`)
      else if (keepsNumerals) scalar.value = new LongNumeral(numeral)
    },
  })
}

const IN_QUOTES = 'round it, or put it into quotes if it is a text or a decimal'

/** The decimal digits of a number as it is written; undefined for `.inf`, `.nan` and other values. */
function numeralOf({ value, source = '' }: Scalar): string | undefined {
  if (typeof value !== 'number') return undefined
  if (/^0[xo]/.test(source)) return String(BigInt(source))
  return /\d/.test(source) ? source : undefined
}

function documentSource(parsed: ParsedText, lines: LineCounter): Source {
  const { file, text, document } = parsed
  const lineAndColumn = (offset: number): { line: number; column: number } => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const positionOf = (node: Node | undefined): Position => ({
    file,
    ...lineAndColumn(node?.range?.[0] ?? 0),
    ...(node && { end: lineAndColumn(nodeEnd(node, text)) }),
  })
  return {
    file,
    at(path: Path, part = 'value') {
      for (let depth = path.length; depth > 0; depth--) {
        const node =
          part === 'key' && depth === path.length ? keyNode(document, path) : document.getIn(path.slice(0, depth), true)
        if (isNode(node)) return positionOf(node)
      }
      return positionOf(document.contents ?? undefined)
    },
    edit: (change) => editOf(parsed, change),
  }
}

function keyNode(document: Document, path: Path): Node | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const name = path[path.length - 1]
  if (typeof name !== 'string' || !isNode(parent) || !('items' in parent)) return undefined
  for (const item of parent.items) {
    if (isNode(item) || item === null || typeof item !== 'object' || !('key' in item)) continue
    if (isNode(item.key) && 'value' in item.key && item.key.value === name) return item.key
  }
  return undefined
}

function jsonSyntaxError(text: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    // JSON.parse does not always state a position; this parser does.
    const errors: ParseError[] = []
    parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
    const [{ error, offset } = { error: 0, offset: 0 }] = errors
    const words = printParseErrorCode(error).replace(/(?<!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    return { message: words.toLowerCase(), offset }
  }
}

/** A fault of a YAML text, and where it begins. */
interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/**
 * The faults of a YAML text in plain words. A fault of the syntax makes the parser misread the rest of the text, so only the first
 * one is reported; duplicate keys are reported all.
 */
function yamlProblems(errors: readonly YAMLParseError[], text: string): YamlProblem[] {
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
