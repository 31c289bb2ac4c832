import assert from 'node:assert/strict'
import { ConfigError, formatFault } from '../../src/config/fault.ts'
import { loadProject, type Project, type ProjectSource } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'
import { assertLines, unmark } from './marks.ts'

export type Files = Readonly<Record<string, string>>

interface Surroundings extends Partial<Pick<ProjectSource, 'env' | 'flags'>> {
  /** The project's folder below the temporary one. */
  readonly inside?: string
}

/** Loads a project of these files from a temporary folder, which is removed afterwards. */
export async function load(files: Files, { env = {}, flags = {}, inside = '' }: Surroundings = {}): Promise<Project> {
  await using folder = await makeProject(files)
  return await loadProject({ folder: `${folder.path}${inside}`, env, flags })
}

/** Every fault of a project, in the order of the error message; empty if there is none. */
export async function faultsOf(files: Files, surroundings?: Surroundings): Promise<string[]> {
  try {
    await load(files, surroundings)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.faults.map(formatFault)
  }
}

/**
 * Compares a project's faults with messages, one for each mark `»` in its files, in the order of files and lines.
 * There must be no other faults. A message that ends in `…` is compared as a prefix.
 */
export async function assertFaults(marked: Files, messages: readonly string[], surroundings?: Surroundings): Promise<void> {
  const files: Record<string, string> = {}
  const places: string[] = []
  for (const name of Object.keys(marked).sort()) {
    const { text, places: own } = unmark(marked[name] ?? '')
    files[name] = text
    const shown = surroundings?.inside === undefined ? name : name.slice(surroundings.inside.length)
    places.push(...own.map((place) => `${shown}:${place}`))
  }
  assert.equal(places.length, messages.length, 'every message has its mark')
  assertLines(
    await faultsOf(files, surroundings),
    messages.map((message, index) => `${places[index]}: ${message}`),
  )
}
