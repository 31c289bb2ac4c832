import type { Model } from './model.ts'
import type { Registry } from './registry.ts'

/** Permissions first, then every model after those it refers to. Models with circular references keep their order. */
export function dependencyOrder(registry: Registry): Model[] {
  const ordered = new Set<Model>()
  const visit = (model: Model, path: ReadonlySet<Model>): void => {
    if (ordered.has(model) || path.has(model)) return
    for (const { relation } of model.relations.values()) visit(registry.expect(relation.target), new Set([...path, model]))
    ordered.add(model)
  }
  for (const model of [registry.expect('permission'), ...registry.public]) visit(model, new Set())
  return [...ordered]
}
