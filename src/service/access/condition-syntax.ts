import { type ParseResult, serialize } from '@marcbachmann/cel-js'

/** A part of the syntax tree of a condition. */
export type Node = ParseResult['ast']

/** The members that a chain begins with `self`: `['author', 'team']`; undefined for any other expression. */
export function pathOf(node: Node): string[] | undefined {
  if (node.op !== '.') return undefined
  const [object, name] = node.args
  if (object.op === 'id') return object.args === 'self' ? [name] : undefined
  const path = pathOf(object)
  return path === undefined ? undefined : [...path, name]
}

/** All parts of a part of an expression. */
export function* nodesOf(part: unknown): Generator<Node> {
  if (Array.isArray(part)) for (const each of part) yield* nodesOf(each)
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    yield part as Node
    yield* nodesOf(part.args)
  }
}

/** True if `self` occurs in a part. */
export const dependsOnRecord = (node: Node): boolean => [...nodesOf(node)].some(({ op, args }) => op === 'id' && args === 'self')

/** The text of a part. Positions of nodes leave out parentheses, so it is written from the tree. */
export const textOf = (node: Node): string => serialize(node)

/** The error for a comparison of two fields. */
export const comparesFields = (node: Node): Error =>
  new Error(`${textOf(node)} compares two fields of the record, which no filter can; compare a field with a value`)

/** The error for a part that no filter can express. */
export const unsupported = (node: Node): Error =>
  new Error(`${textOf(node)} cannot be a filter; use comparisons of a field with a value, in, startsWith, endsWith, &&, || and !`)

/** The message of an error of the CEL library, in one line. */
export function summaryOf(error: unknown): string {
  const { summary, message } = error as { summary?: unknown; message?: string }
  const text = typeof summary === 'string' ? summary : (message?.split('\n')[0] ?? String(error))
  const [, unknown] = /^Unknown variable: (\w+)$/.exec(text) ?? []
  return unknown === undefined
    ? text
    : `Unknown name '${unknown}'; a condition is about self and user, and a group is written { group: ${unknown} }`
}
