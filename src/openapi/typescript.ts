import { resolved } from './components.ts'
import type { ContractSource } from './document.ts'
import { type DescribedEndpoint, endpointsIn, endpointTypes } from './endpoint-types.ts'
import { FILE_SCHEMAS, fileTypeName } from './field-schemas.ts'
import {
  columnNames,
  filterNames,
  includeNames,
  relatedFilterNames,
  relationPairs,
  searchedFields,
  sortKeys,
} from './query-parameters.ts'
import { creationSchema, nestedSchema, recordSchema, updateSchema } from './record-schemas.ts'
import { nameBehind, ref, type Schema } from './schema.ts'
import { literalType, memberName, objectType, plainWords, typeOf, unionType } from './type-text.ts'

const HEAD = `// Made by \`admin types\` from the models and views of a project. Do not edit it; run that again.
// A time is ISO 8601. An optional member may be left out; null is an empty value.
`

/** Makes the models known to `defineHooks` and other code of the project. */
const OF_CODE = `
declare module 'admin-folder' {
  interface Models extends All_Models {}
}
`

/**
 * TypeScript types of a project's records: as returned, for creates and updates with and without each form, and list
 * parameters. The same project gives the same text.
 */
export function typesOfModels(models: readonly DescribedModel[], endpoints: readonly DescribedEndpoint[] = []): string {
  // Model names have no underscore, so this name is free.
  const index = models.map(({ key, name }) => {
    const members = ['Nested', 'Create', 'Update', 'Forms', 'Filter', 'Column', 'Include', 'SortKey', 'Searched', 'Actions']
    const types = members.map((member) => `${member[0]?.toLowerCase()}${member.slice(1)}: ${name}.${member}`)
    return `  ${key}: {\n${[`record: ${name}`, ...types].map((line) => `    ${line}\n`).join('')}  }\n`
  })
  const all = models.map(modelTypes).join('\n')
  const files = refersToFiles([models, endpoints]) ? fileTypes() : ''
  return `${HEAD}import type {} from 'admin-folder'\n\n${files}${all}\n/** Every model, by its path segment. */\nexport interface All_Models {\n${index.join('')}}\n${endpointTypes(endpoints)}${OF_CODE}`
}

/** True if a schema refers to those of files. */
const refersToFiles = (schemas: unknown): boolean =>
  Object.keys(FILE_SCHEMAS).some((name) => JSON.stringify(schemas).includes(`"$ref":"${ref(name).$ref}"`))

const fileTypes = (): string =>
  Object.entries<Schema>(FILE_SCHEMAS)
    .map(([name, schema]) => {
      const type = typeOf(schema, schemaTypeName)
      const declared =
        schema.type === 'object' ? `interface ${fileTypeName(name)} ${type}` : `type ${fileTypeName(name)} = ${type}`
      return `/** ${schema.description}. */\nexport ${declared}\n\n`
    })
    .join('')

const schemaTypeName = (schema: string): string => fileTypeName(schema) ?? schema.replace(/\.nested$/, '.Nested')

/** TypeScript types of a loaded project. */
export const typesOf = (project: Pick<ContractSource, 'registry' | 'forms' | 'actions' | 'endpoints'>): string =>
  typesOfModels(describedIn(project), endpointsIn(project))

function modelTypes({ name, label, schemas, forms, actions, parameters }: DescribedModel): string {
  // Schemas of other models are referenced only as nested records.
  const naming = schemaTypeName
  const interfaceOf = (kind: string, schema: Schema) => {
    const type = objectType(schema, naming, '  ')
    return type.startsWith('{') ? `  interface ${kind} ${type}\n` : `  type ${kind} = ${type}\n`
  }
  const underForms = forms.map((form) => {
    const members = (['create', 'update'] as const).map(
      (action) => `      ${action}: ${objectType(form[action], naming, '      ')}\n`,
    )
    return `    ${memberName(form.name)}: {\n${members.join('')}    }\n`
  })
  const inputs = actions.map((action) => `    ${memberName(action.name)}: ${objectType(action.input, naming, '    ')}\n`)
  return [
    `/** A record of ${plainWords(label)}. */\nexport interface ${name} ${objectType(schemas.record, naming)}\n\n`,
    `export declare namespace ${name} {\n`,
    `  /** A record within another, as far as the reader may see it. */\n${interfaceOf('Nested', schemas.nested)}`,
    `  /** What may be set when a record is created without a form. */\n${interfaceOf('Create', schemas.create)}`,
    `  /** What may be changed without a form. */\n${interfaceOf('Update', schemas.update)}`,
    `  /** What may be set and changed under each form, by its \`form_id\`. */\n`,
    underForms.length === 0 ? '  interface Forms {}\n' : `  interface Forms {\n${underForms.join('')}  }\n`,
    `  /** One value of \`filters\`. */\n${alternatives('Filter', filterTypes(parameters))}`,
    `  /** What \`fields\` may name. */\n${alternatives('Column', parameters.columns.map(literalType))}`,
    `  /** What \`include\` may name. */\n${alternatives('Include', parameters.includes.map(literalType))}`,
    `  /** What \`sort_by\` may name. */\n${alternatives('SortKey', parameters.sortKeys.map(literalType))}`,
    `  /** The fields that are searched. */\n${alternatives('Searched', parameters.searched.map(literalType))}`,
    `  /** The input of each action. */\n`,
    inputs.length === 0 ? '  interface Actions {}\n' : `  interface Actions {\n${inputs.join('')}  }\n`,
    '}\n',
  ].join('')
}

/** `title__icontains=…` */
function filterType(name: string): string {
  const value = name.endsWith('__isnull') ? `\${boolean}` : `\${string}`
  return `\`${name}=${value}\``
}

/** Beyond two relations the field is any text: all their names would be too many for the compiler. */
const filterTypes = ({ filters, relationPairs }: DescribedModel['parameters']): string[] => [
  ...filters.map(filterType),
  ...relationPairs.map((pair) => `\`${pair}__\${string}=\${string}\``),
]

function alternatives(kind: string, types: readonly string[]): string {
  if (types.length <= 8) return `  type ${kind} = ${unionType(types)}\n`
  return `  type ${kind} =\n${types.map((type) => `    | ${type}\n`).join('')}`
}

interface QueryParameter {
  /** Of a parameter that several operations have in common. */
  readonly $ref?: string
  readonly name?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

/** The parts of an OpenAPI document that types are written from. */
export interface DescribedApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters?: Readonly<Record<string, QueryParameter>>
  }
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly QueryParameter[] } }>>
}

/** The models that the OpenAPI document of a server describes; the same as those of its project. */
export function describedBy({ components, paths }: DescribedApi): DescribedModel[] {
  const { schemas } = components
  const names = Object.keys(schemas).filter((name) => schemas[name]?.['x-display-field'] !== undefined)
  const operationAt = (path: string) => Object.entries(paths).find(([each]) => each.endsWith(`/models/${path}`))?.[1].get
  const at = (path: string) => (operationAt(path)?.parameters ?? []).map((parameter) => resolved(components, parameter))
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
      forms: namesIn(Object.keys(schemas), name, 'create').map((form) => ({
        name: form,
        create: schemaOf(`${name}.${form}.create`),
        update: schemaOf(`${name}.${form}.update`),
      })),
      actions: namesIn(Object.keys(schemas), name, 'input').map((action) => ({
        name: action,
        input: schemaOf(`${name}.${action}.input`),
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
  const name = reference === undefined ? undefined : nameBehind(reference)
  return name === undefined || fileTypeName(name) !== undefined ? undefined : name.replace(/\.nested$/, '')
}

/** A document has no schema of nested records for a model that no other model refers to. */
function withoutRelations({ properties = {} }: Schema): Schema {
  const values = Object.entries(properties).filter(([, schema]) => targetOf(schema) === undefined)
  return { type: 'object', properties: Object.fromEntries(values), required: ['id'] }
}

/** Names in the middle of those of schemas: of forms (`Post.PostForm.create`), of actions (`Post.publish.input`). */
const namesIn = (schemaNames: readonly string[], model: string, kind: 'create' | 'input'): string[] =>
  schemaNames.flatMap((each) => {
    const [owner, name, last] = each.split('.')
    return owner === model && name !== undefined && last === kind ? [name] : []
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

/** The parts of a model's API that types are written from. */
interface DescribedModel {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly schemas: Readonly<Record<'record' | 'nested' | 'create' | 'update', Schema>>
  readonly forms: readonly { readonly name: string; readonly create: Schema; readonly update: Schema }[]
  readonly actions: readonly { readonly name: string; readonly input: Schema }[]
  /** Names that the query parameters of lists and searches accept. */
  readonly parameters: Readonly<
    Record<'filters' | 'relationPairs' | 'columns' | 'includes' | 'sortKeys' | 'searched', readonly string[]>
  >
}

/** The models of a loaded project. */
const describedIn = ({ registry, forms, actions }: Pick<ContractSource, 'registry' | 'forms' | 'actions'>): DescribedModel[] =>
  registry.public.map((model) => ({
    key: model.key,
    name: model.name,
    label: model.label,
    schemas: {
      record: recordSchema(model, registry),
      nested: nestedSchema(model),
      create: creationSchema(model),
      update: updateSchema(model),
    },
    forms: [...forms.values()]
      .filter((form) => form.model === model)
      .map((form) => ({ name: form.name, create: creationSchema(model, form), update: updateSchema(model, form) })),
    actions: actions.of(model).map(({ name, input }) => ({ name, input: creationSchema(input) })),
    parameters: {
      filters: [...filterNames(model), ...relatedFilterNames(model, registry)],
      relationPairs: relationPairs(model, registry),
      columns: columnNames(model, registry),
      includes: includeNames(model, registry),
      sortKeys: sortKeys(model, registry),
      searched: searchedFields(model),
    },
  }))
