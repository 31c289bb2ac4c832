/** A step into a definition: a member's name or an item's index. */
export type Path = readonly (string | number)[]

/** A place in a file; line and column start at 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Something a person wrote, that can say where each of its parts stands. */
export interface Source {
  readonly file: string
  /** Where the value at `path` stands, or the nearest enclosing part that exists; with `part: 'key'`, its name. */
  at(path: Path, part?: 'key' | 'value'): Position
}

/** One definition (a model, a view, the settings) as written, with the place it came from. */
export interface Definition {
  readonly value: unknown
  readonly source: Source
}

/** The part of a source below `prefix`, for a list in one file of which each item is a definition. */
export function within(source: Source, prefix: Path): Source {
  return { file: source.file, at: (path, part) => source.at([...prefix, ...path], part) }
}

/** A source without inner structure (environment, flags, a module without call sites): every part is the whole. */
export function flatSource(file: string, line = 1, column = 1): Source {
  const position = { file, line, column }
  return { file, at: () => position }
}
