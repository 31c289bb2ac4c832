import { markCallSite } from './call-site.ts'
import type { SettingsInput } from './setting-types.ts'

/** Defines a project's settings in TypeScript. An unknown setting is a type error. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return markCallSite(settings, defineConfig)
}
