import { roleSchema } from '../auth/roles.ts'
import { actionSchema } from '../code/parse-actions.ts'
import { DEFAULTS, settingsSchema } from '../config/settings.ts'
import { FIELD_TYPE_NAMES } from '../model/definition.ts'
import { fieldSchemas, idSchema } from '../model/parse-field.ts'
import { modelSchema } from '../model/parse-model.ts'
import { dashboardSchema } from '../project/dashboard.ts'
import { limitsSchema } from '../validate/form.ts'
import { formFilesSchema } from '../validate/form-files.ts'
import { formSchema, listSchema } from '../views/parse.ts'
import { fromJoi, oneName, type Schema } from './schema.ts'

/** Editors support draft 7 best. */
const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** JSON Schemas of project files by their names in `schemas/`, derived from the schemas that validate those files. */
export function fileSchemas(): Readonly<
  Record<'action.json' | 'config.json' | 'dashboard.json' | 'model.json' | 'role.json' | 'view.json', Schema>
> {
  return {
    'action.json': oneOrSeveral('Actions', actionFile()),
    'config.json': configFile(),
    'dashboard.json': { $schema: DRAFT, title: 'The dashboard of an admin-folder project', ...fromJoi(dashboardSchema) },
    'model.json': oneOrSeveral('Models', modelFile()),
    'role.json': oneOrSeveral('Roles', fromJoi(roleSchema)),
    'view.json': oneOrSeveral('Views', viewFile()),
  }
}

function configFile(): Schema {
  const schema = fromJoi(settingsSchema)
  const defaults: Readonly<Record<string, unknown>> = { ...DEFAULTS }
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    { ...member, default: defaults[name] },
  ])
  return { $schema: DRAFT, title: 'Settings of an admin-folder project', ...schema, properties: Object.fromEntries(properties) }
}

/** A file holds one definition or a list of them. */
function oneOrSeveral(title: string, definition: Schema): Schema {
  return {
    $schema: DRAFT,
    title: `${title} of an admin-folder project`,
    if: { type: 'array' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { items: { $ref: '#/definitions/one' } },
    else: { $ref: '#/definitions/one' },
    definitions: { one: definition },
  }
}

function modelFile(): Schema {
  const schema = fromJoi(modelSchema)
  const extended: Schema = { enum: ['user', 'group', 'permission'] }
  return {
    ...schema,
    properties: { ...schema.properties, extends: extended, fields: { type: 'array', items: modelField() } },
    required: undefined,
    // An extension has the name of the model that it extends.
    ...when({ extends: extended }, {}, { required: schema.required }),
  }
}

function actionFile(): Schema {
  const schema = fromJoi(actionSchema)
  return { ...schema, properties: { ...schema.properties, input: { type: 'array', items: modelField() } } }
}

/** The keys of a field depend on its type. Completion offers the keys of all types. */
function modelField(): Schema {
  const byType = FIELD_TYPE_NAMES.map((type) => [type, fromJoi(fieldSchemas[type])] as const)
  const properties = Object.assign({}, ...byType.map(([, { properties: own }]) => own)) as NonNullable<Schema['properties']>
  return {
    type: 'object',
    properties: { ...properties, type: oneName([...FIELD_TYPE_NAMES, 'primarykey']) },
    required: ['name', 'type'],
    ...when({ name: { const: 'id' } }, fromJoi(idSchema), {
      allOf: [
        { properties: { type: oneName(FIELD_TYPE_NAMES) } },
        ...byType.map(([type, schema]) => when({ type: { const: type } }, schema)),
      ],
    }),
  }
}

function viewFile(): Schema {
  const [form, list] = [formOf(fromJoi(formSchema)), fromJoi(listSchema)]
  return {
    type: 'object',
    properties: { ...fromJoi(formSchema).properties, view_type: oneName(['form', 'list']) },
    required: ['view_type'],
    ...when({ view_type: { const: 'list' } }, list, form),
  }
}

/** A form. Its fields' `options` are described as far as the server reads them; those of a list are for front ends only. */
function formOf(view: Schema): Schema {
  const fields = view.properties?.fields
  const bounds = { ...fromJoi(limitsSchema).properties, ...fromJoi(formFilesSchema).properties }
  const choice: Schema = { type: 'object', required: ['value'] }
  const choices: Schema = { type: 'array', items: { anyOf: [{ type: ['string', 'number'] }, choice] }, minItems: 1 }
  const options: Schema = { type: 'object', properties: { ...bounds, choices } }
  const items = { ...fields?.items, properties: { ...fields?.items?.properties, options } }
  return { ...view, properties: { ...view.properties, fields: { ...fields, items } } }
}

const when = (properties: NonNullable<Schema['properties']>, held: Schema, otherwise?: Schema): Schema => ({
  if: { properties, required: Object.keys(properties) },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: held,
  else: otherwise,
})
