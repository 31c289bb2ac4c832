import { fileURLToPath } from 'node:url'
import type { Position } from './source.ts'

/** Call sites of definitions. Shared by the process, since a project may import another copy of this package. */
const sites: WeakMap<object, Position> = sharedSites()

function sharedSites(): WeakMap<object, Position> {
  const name = Symbol.for('admin-folder.call-sites')
  const shared = globalThis as unknown as { [name]?: WeakMap<object, Position> }
  shared[name] ??= new WeakMap()
  return shared[name]
}

/**
 * Records where a definition was created, so that faults in a TypeScript file can point there.
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

/** The call site of a definition, if `markCallSite` recorded it. */
export function callSiteOf(definition: unknown): Position | undefined {
  return typeof definition === 'object' && definition !== null ? sites.get(definition) : undefined
}

/** The positions in a stack trace, innermost first; frames without a file are omitted. */
export function framesOf(stack: string): Position[] {
  return stack.split('\n').flatMap((line) => {
    const [, location = '', row, column] = /^\s+at (?:.* \()?(\/.*|file:.*?):(\d+):(\d+)\)?$/.exec(line) ?? []
    if (location === '') return []
    const path = location.replace(/\?[^?]*$/, '')
    return [{ file: path.startsWith('file:') ? fileURLToPath(path) : path, line: Number(row), column: Number(column) }]
  })
}
