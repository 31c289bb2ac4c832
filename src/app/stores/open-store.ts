import { resolve } from 'node:path'
import { postgresPlace } from '../../config/store-settings.ts'
import type { Project } from '../../service/project/project.ts'
import { holdsData } from '../../store/embedded/recovery/recovery.ts'
import type { AppMode } from '../interfaces.ts'
import { openFileStore, openMemoryStore, type StoreParts } from './embedded-stores.ts'
import type { OpenedStore } from './opened-store.ts'

/**
 * Opens the store that a project's settings name, or one in memory in mode `ephemeral`.
 *
 * @throws {AppError} DATA_IN_USE, DATA_CORRUPT, CONFIG_INVALID, STORE_UNAVAILABLE
 */
export async function openStore(project: Project, mode: AppMode, parts: StoreParts): Promise<OpenedStore> {
  const { registry } = project
  if (mode === 'ephemeral') return openMemoryStore(registry, parts)
  return openFileStore(dataFolderOf(project), registry, mode, parts)
}

/** The absolute path of a project's data folder, which the embedded engine uses. */
export const dataFolderOf = ({ folder, settings }: Pick<Project, 'folder' | 'settings'>): string => resolve(folder, settings.data)

/** The place of a project's records, for people; without a password. */
export const placeOf = (project: Pick<Project, 'folder' | 'settings'>): string =>
  project.settings.store === 'embedded' ? dataFolderOf(project) : postgresPlace(project.settings.store)

/** True if records have ever been stored for a project. */
export async function hasData(project: Project): Promise<boolean> {
  return holdsData(dataFolderOf(project))
}
