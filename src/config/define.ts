import type { SettingsInput } from './setting-types.ts'
import { markCallSite } from './sources/call-site.ts'

/** Defines a project's settings in TypeScript. An unknown setting is a type error. */
export function defineConfig(settings: SettingsInput): SettingsInput {
  return markCallSite(settings, defineConfig)
}
