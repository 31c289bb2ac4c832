import { markCallSite } from './call-site.ts'
import type { SettingsInput } from './settings.ts'

/** Describes a project's settings in TypeScript; a setting that does not exist is a type error. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return markCallSite(settings, defineConfig)
}
