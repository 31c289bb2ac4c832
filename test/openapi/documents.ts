import { join } from 'node:path'
import type { SettingsInput } from '../../src/config/settings.ts'
import { apiDocument } from '../../src/http/api.ts'
import type { OpenApiDocument } from '../../src/openapi/operation.ts'
import { loadProject, type Project } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'

/** A fixture, understood. */
export const fixture = (name: 'blog' | 'clinic' | 'minimal', settings: SettingsInput = {}): Promise<Project> =>
  loadProject({ folder: join(import.meta.dirname, '../../fixtures', name), env: {}, flags: settings })

/** A project of these files, understood. */
export async function projectOf(files: Readonly<Record<string, string>>): Promise<Project> {
  await using folder = await makeProject(files)
  return await loadProject({ folder: folder.path, env: {}, flags: {} })
}

export const documentOf = (project: Project): OpenApiDocument => apiDocument(project)
