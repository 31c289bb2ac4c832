import { fileURLToPath } from 'node:url'
import type { Position } from './source.ts'

const CALL_SITE = Symbol.for('admin-backend.call-site')

/**
 * Notes on a definition where it was made, so that a fault in a TypeScript file can point there.
 *
 * @param definedBy the function that the user called; the frame above it is the call site
 */
export function markCallSite<T extends object>(definition: T, definedBy: (...args: never[]) => unknown): T {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, definedBy)
  const position = firstFrame(holder.stack ?? '')
  if (position !== undefined) Object.defineProperty(definition, CALL_SITE, { value: position, configurable: true })
  return definition
}

/** Where a definition was made, if `markCallSite` saw it. */
export function callSiteOf(definition: unknown): Position | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined
  const site: unknown = Reflect.get(definition, CALL_SITE)
  return isPosition(site) ? site : undefined
}

function firstFrame(stack: string): Position | undefined {
  const frame = /\(?((?:file:\/\/)?\/?[^\s()]+?)(?:\?[^:]*)?:(\d+):(\d+)\)?$/m.exec(stack)
  if (frame?.[1] === undefined) return undefined
  const file = frame[1].startsWith('file:') ? fileURLToPath(frame[1]) : frame[1]
  return { file, line: Number(frame[2]), column: Number(frame[3]) }
}

function isPosition(site: unknown): site is Position {
  return typeof site === 'object' && site !== null && 'file' in site && 'line' in site && 'column' in site
}
