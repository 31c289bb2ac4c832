import { nameBehind, type Schema } from '../schemas/schema.ts'
import type { DescribedModel } from './described-model.ts'

interface QueryParameter {
  readonly name?: string
  readonly description?: string
  readonly schema?: Schema
}

/** The parts of an OpenAPI document that types are written from. */
export interface DescribedApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly QueryParameter[] } }>>
}

/** The models that the OpenAPI document of a server describes; the same as those of its project. */
export function describedBy({ components: { schemas }, paths }: DescribedApi): DescribedModel[] {
  const names = Object.keys(schemas).filter((name) => schemas[name]?.['x-display-field'] !== undefined)
  const at = (path: string) => Object.entries(paths).find(([each]) => each.endsWith(`/models/${path}`))?.[1].get?.parameters ?? []
  const schemaOf = (name: string): Schema => schemas[name] ?? {}
  const filtersOf = (name: string) => known(at(name.toLowerCase()))
  return names.map((name) => {
    const key = name.toLowerCase()
    const record = schemaOf(name)
    const relations = relationsOf(record)
    return {
      key,
      name,
      label: (record.description ?? '').replace(/^A record of /, ''),
      schemas: {
        record,
        nested: schemas[`${name}.nested`] ?? withoutRelations(record),
        create: schemaOf(`${name}.create`),
        update: schemaOf(`${name}.update`),
      },
      forms: formNames(Object.keys(schemas), name).map((form) => ({
        name: form,
        create: schemaOf(`${name}.${form}.create`),
        update: schemaOf(`${name}.${form}.update`),
      })),
      parameters: {
        filters: [
          ...filtersOf(name),
          ...relations.flatMap(({ field, target }) => filtersOf(target).map((inner) => `${field}__${inner}`)),
        ],
        relationPairs: relations.flatMap(({ field, target }) =>
          relationsOf(schemaOf(target)).map((inner) => `${field}__${inner.field}`),
        ),
        columns: namesOf(at(key), 'fields'),
        includes: namesOf(at(key), 'include'),
        sortKeys: namesOf(at(key), 'sort_by'),
        searched: namesOf(at(`${key}/search`), 'fields'),
      },
    }
  })
}

/** The members of a record that nest records. */
const relationsOf = ({ properties = {} }: Schema): { field: string; target: string }[] =>
  Object.entries(properties).flatMap(([field, schema]) => {
    const target = targetOf(schema)
    return target === undefined ? [] : [{ field, target }]
  })

/** The model that a member of a record nests; undefined for values. */
function targetOf({ $ref, anyOf = [], items }: Schema): string | undefined {
  const reference = $ref ?? items?.$ref ?? anyOf.find((each) => each.$ref !== undefined)?.$ref
  return reference === undefined ? undefined : nameBehind(reference).replace(/\.nested$/, '')
}

/** A document has no schema of nested records for a model that no other model refers to. */
function withoutRelations({ properties = {} }: Schema): Schema {
  const values = Object.entries(properties).filter(([, schema]) => targetOf(schema) === undefined)
  return { type: 'object', properties: Object.fromEntries(values), required: ['id'] }
}

const formNames = (schemaNames: readonly string[], model: string): string[] =>
  schemaNames.flatMap((name) => {
    const form = name.startsWith(`${model}.`) ? /^\.(.+)\.create$/.exec(name.slice(model.length))?.[1] : undefined
    return form === undefined ? [] : [form]
  })

function namesOf(parameters: readonly QueryParameter[], name: string): string[] {
  const { schema } = parameters.find((each) => each.name === name) ?? {}
  return (schema?.items?.enum ?? []).map(String)
}

/** The filters that the description of the parameter lists. */
function known(parameters: readonly QueryParameter[]): string[] {
  const { description = '' } = parameters.find(({ name }) => name === 'filters') ?? {}
  return /Known: (.*)$/.exec(description)?.[1]?.split(' ') ?? []
}
