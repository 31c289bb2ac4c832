import type { Settings } from '../../config/settings.ts'
import type { Registry } from '../../model/registry.ts'

/** The tables whose changes are recorded by the settings and the models. */
export function recordedTables({ history }: Settings, registry: Registry): ReadonlySet<string> {
  if (history === undefined) return new Set()
  const named = history.models?.map((name) => name.toLowerCase())
  const models = registry.public.filter((model) => model.history && named?.includes(model.key) !== false)
  return new Set(models.map(({ key }) => key))
}
