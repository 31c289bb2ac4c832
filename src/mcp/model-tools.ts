import type { SiteField, SiteModel, SiteModelAction } from '../client/types-site.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { listAnswer } from './answer.ts'
import { usableModel, visibleModels } from './models.ts'
import { optional, textArgument, textsArgument, wholeArgument } from './parameters.ts'
import { defineTool, type Tool } from './tool.ts'
import { ToolError } from './tool-error.ts'

/** The parameter of every tool that answers a list. */
export const offset = optional(wholeArgument('Number of items to leave out; the `next` of an answer names it', 0))

/** The parameter of every tool of a model. */
export const model = textArgument('Key of the model, as list_models names it')

const listModels = defineTool({
  name: 'list_models',
  title: 'List the models',
  description:
    'The models (kinds of records) that you may use: key, label, number of records, what you may do (`can`) and actions. Start here.',
  parameters: { offset },
  effect: 'reads',
  idempotent: true,
  run: (scope, { offset = 0 }) =>
    scope.place.withClient({ mode: 'read' }, async (client) => {
      const models = await visibleModels(client, scope)
      const items = models.slice(offset).map(({ key, label, can, count, searchable, actions }) => {
        const names = actions.flatMap(({ name, can }) => (can ? [name] : []))
        return {
          key,
          label,
          can,
          ...(count === undefined ? {} : { count }),
          searchable,
          ...(names.length > 0 ? { actions: names } : {}),
        }
      })
      return listAnswer({ items, offset, total: models.length, noun: 'models' })
    }),
})

const describeModel = defineTool({
  name: 'describe_model',
  title: 'Describe a model',
  description:
    'The fields of a model with types, limits, choices, defaults and relations; its constraints, actions with their input, the fields of other models that refer to it, and what you may do.',
  parameters: { model, fields: optional(textsArgument('Only these fields; all when absent')), offset },
  effect: 'reads',
  idempotent: true,
  run: (scope, { model: key, fields, offset = 0 }) =>
    scope.place.withClient({ mode: 'read' }, async (client) => {
      const models = await visibleModels(client, scope)
      const found = models.find((each) => each.key === key) ?? (await usableModel(client, scope, key))
      const shown = new Set(models.map((each) => each.key))
      const known = found.fields.map(({ name }) => name)
      const unknown = (fields ?? []).filter((name) => !known.includes(name))
      const [first] = unknown
      if (first !== undefined) throw new ToolError(`fields: Unknown field '${first}' of ${key}${meantOrKnown(first, known)}`)
      const chosen = found.fields.filter(({ name }) => fields?.includes(name) ?? true)
      return listAnswer({
        items: chosen.slice(offset).map((field) => fieldJson(field, shown)),
        ...{ offset, total: chosen.length, noun: 'fields' },
        others: modelJson(found, shown),
      })
    }),
})

function modelJson(model: SiteModel, shown: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  const { key, name, label, display_field, can, count, searchable, history, unique_together, actions, referenced_by } = model
  return {
    model: { key, name, label, display_field, can, ...(count === undefined ? {} : { count }), searchable, history },
    ...(unique_together === undefined ? {} : { unique_together }),
    actions: actions.map((action) => actionJson(action, shown)),
    referenced_by: referenced_by.filter((each) => shown.has(each.model)),
  }
}

const actionJson = ({ name, title, on, confirm, when, can, input_fields }: SiteModelAction, shown: ReadonlySet<string>) =>
  withoutNothing({ name, title, on, can, confirm, when, input: input_fields.map((field) => fieldJson(field, shown)) })

function fieldJson(field: SiteField, shown: ReadonlySet<string>): object {
  const { name, type, label, help_text, required, unique, readonly, sortable, operators, choices, bounds, relation, file } = field
  return withoutNothing({
    ...{ name, type, label, help_text, required, unique, readonly, sortable },
    // The name of a model that the caller may not use stays unknown.
    relation: relation === null || shown.has(relation.model) ? relation : { name: relation.name, model: null },
    choices,
    ...(Object.keys(bounds).length > 0 ? { bounds } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(file === undefined ? {} : { file }),
    operators: operators.join(' '),
  })
}

/** Members that say something: not null, false or an empty list. */
const withoutNothing = (members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** Tools that describe the models. */
export const MODEL_TOOLS: readonly Tool[] = [listModels, describeModel]
