import { Lexer } from 'yaml'
import type { Json } from '../util/json.ts'

/** A path into a definition: member names and item indexes. */
export type Path = readonly (string | number)[]

/** A position in a file; line and column start at 1, columns count UTF-16 code units. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Position behind the last character; absent if only the start is known. */
  readonly end?: { readonly line: number; readonly column: number }
}

/** A written definition that knows the positions of its parts. */
export interface Source {
  readonly file: string
  /** Position of the value at `path`, or of the nearest enclosing part that exists; with `part: 'key'`, of its key. */
  at(path: Path, part?: 'key' | 'value'): Position
  /** The text edit that makes a change; undefined if there is none. */
  edit?(change: TextChange): TextEdit | undefined
}

/**
 * A change of a definition: another value, the removal of a member or item, or a new member of the mapping at `path`, behind
 * another.
 */
export type TextChange =
  | { readonly kind: 'set'; readonly path: Path; readonly value: Json }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add'; readonly path: Path; readonly key: string; readonly value: Json; readonly after?: string }

/** Replaces the text between two offsets of a file. */
export interface TextEdit {
  readonly file: string
  readonly from: number
  readonly to: number
  readonly text: string
  /** The only change that the edit makes to the definition. */
  readonly change: TextChange
}

/** One definition (a model, a view, the settings) with its source. */
export interface Definition {
  readonly value: unknown
  readonly source: Source
}

/** The part of a source below `prefix`, for one definition of a list. */
export function within(source: Source, prefix: Path): Source {
  return {
    file: source.file,
    at: (path, part) => source.at([...prefix, ...path], part),
    edit: (change) => source.edit?.({ ...change, path: [...prefix, ...change.path] }),
  }
}

/** A source without inner positions (environment, flags, a module without call sites). */
export function flatSource(file: string, line = 1, column = 1): Source {
  const position = { file, line, column }
  return { file, at: () => position }
}

/** The lines of a YAML text, from 1, that hold a comment. A `#` within a string does not begin a comment. */
export function commentLines(text: string): ReadonlySet<number> {
  const lines = new Set<number>()
  let line = 1
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && !isScalar) lines.add(line)
    isScalar = token === SCALAR
    for (const character of token) if (character === '\n') line++
  }
  return lines
}

/** The token that the lexer emits before an unquoted scalar. */
const SCALAR = '\x1f'
