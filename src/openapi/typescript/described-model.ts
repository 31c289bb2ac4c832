import type { ContractSource } from '../document.ts'
import {
  columnNames,
  filterNames,
  includeNames,
  relatedFilterNames,
  relationPairs,
  searchedFields,
  sortKeys,
} from '../paths/query-parameters.ts'
import { createSchema, nestedSchema, recordSchema, updateSchema } from '../schemas/records.ts'
import type { Schema } from '../schemas/schema.ts'

/** The parts of a model's API that types are written from. */
export interface DescribedModel {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly schemas: Readonly<Record<'record' | 'nested' | 'create' | 'update', Schema>>
  readonly forms: readonly { readonly name: string; readonly create: Schema; readonly update: Schema }[]
  /** Names that the query parameters of lists and searches accept. */
  readonly parameters: Readonly<
    Record<'filters' | 'relationPairs' | 'columns' | 'includes' | 'sortKeys' | 'searched', readonly string[]>
  >
}

/** The models of a loaded project. */
export const describedIn = ({ registry, forms }: Pick<ContractSource, 'registry' | 'forms'>): DescribedModel[] =>
  registry.public.map((model) => ({
    key: model.key,
    name: model.name,
    label: model.label,
    schemas: {
      record: recordSchema(model, registry),
      nested: nestedSchema(model),
      create: createSchema(model),
      update: updateSchema(model),
    },
    forms: [...forms.values()]
      .filter((form) => form.model === model)
      .map((form) => ({ name: form.name, create: createSchema(model, form), update: updateSchema(model, form) })),
    parameters: {
      filters: [...filterNames(model), ...relatedFilterNames(model, registry)],
      relationPairs: relationPairs(model, registry),
      columns: columnNames(model, registry),
      includes: includeNames(model, registry),
      sortKeys: sortKeys(model, registry),
      searched: searchedFields(model),
    },
  }))
