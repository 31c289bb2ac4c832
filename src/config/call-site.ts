import { fileURLToPath } from 'node:url'
import type { Position } from './source.ts'

/** Where definitions were made. It is the process's, so that a project may import another copy of this package. */
const sites: WeakMap<object, Position> = sharedSites()

function sharedSites(): WeakMap<object, Position> {
  const name = Symbol.for('admin-backend.call-sites')
  const shared = globalThis as unknown as { [name]?: WeakMap<object, Position> }
  shared[name] ??= new WeakMap()
  return shared[name]
}

/**
 * Notes of a definition where it was made, so that a fault in a TypeScript file can point there.
 *
 * @param definedBy the function that the user called; the frame above it is the call site
 */
export function markCallSite<T extends object>(definition: T, definedBy: (...args: never[]) => unknown): T {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, definedBy)
  const [position] = framesOf(holder.stack ?? '')
  if (position !== undefined) sites.set(definition, position)
  return definition
}

/** Where a definition was made, if `markCallSite` saw it. */
export function callSiteOf(definition: unknown): Position | undefined {
  return typeof definition === 'object' && definition !== null ? sites.get(definition) : undefined
}

/** The places that a stack trace names, innermost first; frames that are in no file are left out. */
export function framesOf(stack: string): Position[] {
  return stack.split('\n').flatMap((line) => {
    const [, location = '', row, column] = /^\s+at (?:.* \()?(\/.*|file:.*?):(\d+):(\d+)\)?$/.exec(line) ?? []
    if (location === '') return []
    const path = location.replace(/\?[^?]*$/, '')
    return [{ file: path.startsWith('file:') ? fileURLToPath(path) : path, line: Number(row), column: Number(column) }]
  })
}
