import type { Schema } from '../schemas/schema.ts'
import { type DescribedModel, describedIn } from './described-model.ts'
import { literal, memberName, objectType, plainWords, union } from './type-text.ts'

const HEAD = `// Made by \`admin types\` from the models and views of a project. Do not edit it; run that again.
// A time is ISO 8601. An optional member may be left out; null is an empty value.
`

/**
 * TypeScript types of a project's records: as returned, for creates and updates with and without each form, and list
 * parameters. The same project gives the same text.
 */
export function typesOfModels(models: readonly DescribedModel[]): string {
  // Model names have no underscore, so this name is free.
  const index = models.map(({ key, name }) => {
    const members = ['Nested', 'Create', 'Update', 'Forms', 'Filter', 'Column', 'Include', 'SortKey', 'Searched']
    const types = members.map((member) => `${member[0]?.toLowerCase()}${member.slice(1)}: ${name}.${member}`)
    return `  ${key}: {\n${[`record: ${name}`, ...types].map((line) => `    ${line}\n`).join('')}  }\n`
  })
  const all = models.map(modelTypes).join('\n')
  return `${HEAD}\n${all}\n/** Every model, by its path segment. */\nexport interface All_Models {\n${index.join('')}}\n`
}

/** TypeScript types of a loaded project. */
export const typesOf = (project: Parameters<typeof describedIn>[0]): string => typesOfModels(describedIn(project))

function modelTypes({ name, label, schemas, forms, parameters }: DescribedModel): string {
  // Schemas of other models are referenced only as nested records.
  const naming = (schema: string) => schema.replace(/\.nested$/, '.Nested')
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
  return [
    `/** A record of ${plainWords(label)}. */\nexport interface ${name} ${objectType(schemas.record, naming)}\n\n`,
    `export declare namespace ${name} {\n`,
    `  /** A record within another, as far as the reader may see it. */\n${interfaceOf('Nested', schemas.nested)}`,
    `  /** What may be set when a record is created without a form. */\n${interfaceOf('Create', schemas.create)}`,
    `  /** What may be changed without a form. */\n${interfaceOf('Update', schemas.update)}`,
    `  /** What may be set and changed under each form, by its \`form_id\`. */\n`,
    underForms.length === 0 ? '  interface Forms {}\n' : `  interface Forms {\n${underForms.join('')}  }\n`,
    `  /** One value of \`filters\`. */\n${alternatives('Filter', filterTypes(parameters))}`,
    `  /** What \`fields\` may name. */\n${alternatives('Column', parameters.columns.map(literal))}`,
    `  /** What \`include\` may name. */\n${alternatives('Include', parameters.includes.map(literal))}`,
    `  /** What \`sort_by\` may name. */\n${alternatives('SortKey', parameters.sortKeys.map(literal))}`,
    `  /** The fields that are searched. */\n${alternatives('Searched', parameters.searched.map(literal))}`,
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
  if (types.length <= 8) return `  type ${kind} = ${union(types)}\n`
  return `  type ${kind} =\n${types.map((type) => `    | ${type}\n`).join('')}`
}
