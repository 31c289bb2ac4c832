import { UniqueSet } from '../../../../model/constraints/unique-set.ts'
import type { Field } from '../../../../model/field.ts'
import { Model } from '../../../../model/model.ts'
import { Registry } from '../../../../model/registry.ts'
import { Layout } from '../../layout/layout.ts'

/**
 * The layouts through which renames go: with former names of models and fields, with present names of models and former ones of fields,
 * and the present one. Their tables, columns and constraints correspond by position.
 */
export function layoutsOfRenames(layout: Layout): readonly [Layout, Layout, Layout] {
  const formerKeys = new Map(layout.registry.all.map(({ key, was }) => [key, was ?? key]))
  const formerFields = layoutOf(layout, new Map())
  return [layoutOf(layout, formerKeys), formerFields, layout]
}

/** The layout with the former names of fields. @param keys former keys of models */
function layoutOf({ registry, schema }: Layout, keys: ReadonlyMap<string, string>): Layout {
  return new Layout(new Registry(registry.all.map((model) => formerModel(model, keys))), schema)
}

function formerModel(model: Model, keys: ReadonlyMap<string, string>): Model {
  const former = new Map([...model.fields.values()].map(({ name, was }) => [name, was ?? name]))
  return new Model({
    name: keys.get(model.key) ?? model.key,
    label: model.label,
    timestamps: model.timestamps,
    internal: model.internal,
    history: model.history,
    displayField: former.get(model.displayField),
    uniqueSets: model.uniqueSets.map(({ fields }) => new UniqueSet(fields.map((name) => former.get(name) ?? name))),
    fields: [...model.fields.values()].map((field) => formerField(field, keys)),
  })
}

function formerField(field: Field, keys: ReadonlyMap<string, string>): Field {
  const name = field.was ?? field.name
  const { relation } = field
  if (relation === undefined) return { ...field, name }
  const target = keys.get(relation.target) ?? relation.target
  return { ...field, name, relation: { ...relation, name: relation.kind === 'one' ? name.replace(/_id$/, '') : name, target } }
}
