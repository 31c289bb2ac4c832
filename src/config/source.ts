import type { Json } from '../util/json.ts'

/** A step into a definition: a member's name or an item's index. */
export type Path = readonly (string | number)[]

/** A place in a file; line and column start at 1, columns count UTF-16 code units. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
  /** Just behind the last character; absent where only the beginning is known. */
  readonly end?: { readonly line: number; readonly column: number }
}

/** Something a person wrote, that can say where each of its parts stands. */
export interface Source {
  readonly file: string
  /** Where the value at `path` stands, or the nearest enclosing part that exists; with `part: 'key'`, its name. */
  at(path: Path, part?: 'key' | 'value'): Position
  /** How the text of the file is to be edited to make a change; undefined where that cannot be done. */
  edit?(change: Change): TextEdit | undefined
}

/** A change of a definition: another value, a member or item less, or a member more in the mapping at `path`, behind another. */
export type Change =
  | { readonly kind: 'set'; readonly path: Path; readonly value: Json }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add'; readonly path: Path; readonly key: string; readonly value: Json; readonly after?: string }

/** Puts `text` in the place of what stands between two offsets of a file. */
export interface TextEdit {
  readonly file: string
  readonly from: number
  readonly to: number
  readonly text: string
  /** What it is to do to the definition, and nothing else. */
  readonly change: Change
}

/** One definition (a model, a view, the settings) as written, with the place it came from. */
export interface Definition {
  readonly value: unknown
  readonly source: Source
}

/** The part of a source below `prefix`, for a list in one file of which each item is a definition. */
export function within(source: Source, prefix: Path): Source {
  return {
    file: source.file,
    at: (path, part) => source.at([...prefix, ...path], part),
    edit: (change) => source.edit?.({ ...change, path: [...prefix, ...change.path] }),
  }
}

/** A source without inner structure (environment, flags, a module without call sites): every part is the whole. */
export function flatSource(file: string, line = 1, column = 1): Source {
  const position = { file, line, column }
  return { file, at: () => position }
}
