import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import type { Form } from '../../validate/form.ts'
import type { ContractSource } from '../document.ts'
import {
  columnNames,
  filterNames,
  includeNames,
  relatedFilterNames,
  searchedFields,
  sortKeys,
} from '../paths/query-parameters.ts'
import { createSchema, nestedSchema, recordSchema, updateSchema } from '../schemas/records.ts'
import { literal, memberName, objectType, plainWords, union } from './type-text.ts'

const HEAD = `// Made by \`admin types\` from the models and views of a project. Do not edit it; run that again.
// A time is ISO 8601. What is optional may be left out, what is null is empty.
`

/**
 * TypeScript types of a project's records: as returned, for creates and updates with and without each form, and list
 * parameters. The same project gives the same text.
 */
export function typesOf({ registry, forms }: Pick<ContractSource, 'registry' | 'forms'>): string {
  const models = registry.public
  const all = models.map((model) =>
    modelTypes(
      model,
      registry,
      [...forms.values()].filter((form) => form.model === model),
    ),
  )
  // Model names have no underscore, so this name is free.
  const index = models.map(({ key, name }) => {
    const members = ['Nested', 'Create', 'Update', 'Forms', 'Filter', 'Column', 'Include', 'SortKey', 'Searched']
    const types = members.map((member) => `${member[0]?.toLowerCase()}${member.slice(1)}: ${name}.${member}`)
    return `  ${key}: {\n${[`record: ${name}`, ...types].map((line) => `    ${line}\n`).join('')}  }\n`
  })
  return `${HEAD}\n${all.join('\n')}\n/** Every model, by its path segment. */\nexport interface All_Models {\n${index.join('')}}\n`
}

function modelTypes(model: Model, registry: Registry, forms: readonly Form[]): string {
  const { name } = model
  const label = plainWords(model.label)
  // Schemas of other models are referenced only as nested records.
  const naming = (schema: string) => schema.replace(/\.nested$/, '.Nested')
  const interfaceOf = (kind: string, schema: Parameters<typeof objectType>[0]) => {
    const type = objectType(schema, naming, '  ')
    return type.startsWith('{') ? `  interface ${kind} ${type}\n` : `  type ${kind} = ${type}\n`
  }
  const underForms = forms.map((form) => {
    const members = ['create', 'update'].map((action) => {
      const schema = action === 'create' ? createSchema(model, form) : updateSchema(model, form)
      return `      ${action}: ${objectType(schema, naming, '      ')}\n`
    })
    return `    ${memberName(form.name)}: {\n${members.join('')}    }\n`
  })
  return [
    `/** A record of ${label}. */\nexport interface ${name} ${objectType(recordSchema(model, registry), naming)}\n\n`,
    `export declare namespace ${name} {\n`,
    `  /** A record within another, as far as the reader may see it. */\n${interfaceOf('Nested', nestedSchema(model))}`,
    `  /** What may be set when a record is created without a form. */\n${interfaceOf('Create', createSchema(model))}`,
    `  /** What may be changed without a form. */\n${interfaceOf('Update', updateSchema(model))}`,
    `  /** What may be set and changed under each form, by its \`form_id\`. */\n`,
    underForms.length === 0 ? '  interface Forms {}\n' : `  interface Forms {\n${underForms.join('')}  }\n`,
    `  /** One value of \`filters\`. */\n${alternatives('Filter', [...filterNames(model), ...relatedFilterNames(model, registry)], filterType)}`,
    `  /** What \`fields\` may name. */\n${alternatives('Column', columnNames(model))}`,
    `  /** What \`include\` may name. */\n${alternatives('Include', includeNames(model, registry))}`,
    `  /** What \`sort_by\` may name. */\n${alternatives('SortKey', sortKeys(model))}`,
    `  /** The fields that are searched. */\n${alternatives('Searched', searchedFields(model))}`,
    '}\n',
  ].join('')
}

/** `title__icontains=…` */
function filterType(name: string): string {
  const value = name.endsWith('__isnull') ? `\${boolean}` : `\${string}`
  return `\`${name}=${value}\``
}

function alternatives(kind: string, names: readonly string[], write: (name: string) => string = literal): string {
  if (names.length <= 8) return `  type ${kind} = ${union(names.map(write))}\n`
  return `  type ${kind} =\n${names.map((name) => `    | ${write(name)}\n`).join('')}`
}
