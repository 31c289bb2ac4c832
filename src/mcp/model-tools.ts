import type { SiteField, SiteModel, SiteModelAction } from '../client/types-site.ts'
import { meantOrKnown } from '../util/suggest.ts'
import { listAnswer, MAX_ANSWER_LENGTH } from './answer.ts'
import { usableModel, visibleModels } from './models.ts'
import { choiceArgument, optional, textArgument, textsArgument, wholeArgument } from './parameters.ts'
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

/** The lists that describe a model. */
const PARTS = ['fields', 'actions', 'referenced_by', 'choices'] as const

const describeModel = defineTool({
  name: 'describe_model',
  title: 'Describe a model',
  description:
    'The fields of a model with types, limits, choices, defaults and relations; its constraints, actions with their input, the fields of other models that refer to it, and what you may do.',
  parameters: {
    model,
    fields: optional(textsArgument('Only these fields; all when absent')),
    part: optional(
      choiceArgument(
        'List this part alone, where an answer has no room for it: fields when absent; choices are of one field',
        PARTS,
      ),
    ),
    offset,
  },
  effect: 'reads',
  idempotent: true,
  run: (scope, { model: key, fields, part = 'fields', offset = 0 }) =>
    scope.place.withClient({ mode: 'read' }, async (client) => {
      const models = await visibleModels(client, scope)
      const found = models.find((each) => each.key === key) ?? (await usableModel(client, scope, key))
      const shown = new Set(models.map((each) => each.key))
      const known = found.fields.map(({ name }) => name)
      const unknown = (fields ?? []).filter((name) => !known.includes(name))
      const [first] = unknown
      if (first !== undefined) throw new ToolError(`fields: Unknown field '${first}' of ${key}${meantOrKnown(first, known)}`)
      const chosen = found.fields.filter(({ name }) => fields?.includes(name) ?? true)
      const [field] = chosen
      if (part === 'choices' && (field === undefined || fields?.length !== 1))
        throw new ToolError("The part 'choices' is for one field; name it alone in 'fields'")
      const lists = {
        choices: field?.choices ?? [],
        fields: chosen.map((field) => fieldJson(field, shown)),
        actions: found.actions.map((action) => actionJson(action, shown)),
        referenced_by: found.referenced_by.filter((each) => shown.has(each.model)),
      }
      return listAnswer({
        items: lists[part].slice(offset),
        ...{ offset, total: lists[part].length, noun: part },
        others: part === 'fields' ? { ...modelJson(found), ...beside(lists) } : { model: { key } },
        rest: (member) =>
          member === 'choices' ? 'describe_model with part "choices" and this field in fields lists them' : 'no call has it all',
      })
    }),
})

/** The actions and references as they are, or the calls that list them, where they would leave too little room for the fields. */
function beside({ actions, referenced_by }: Readonly<Record<'actions' | 'referenced_by', readonly unknown[]>>): object {
  const left: Record<string, string> = {}
  const lists = Object.entries({ referenced_by, actions }).map(([name, list]) => {
    if (JSON.stringify(list).length <= MAX_ANSWER_LENGTH / 4) return [name, list]
    left[name] = `${list.length} have no room here; describe_model with part "${name}" lists them`
    return [name, []]
  })
  return { ...Object.fromEntries(lists), ...(Object.keys(left).length > 0 ? { left_out: left } : {}) }
}

function modelJson(model: SiteModel): Readonly<Record<string, unknown>> {
  const { key, name, label, display_field, can, count, searchable, history, unique_together } = model
  return {
    model: { key, name, label, display_field, can, ...(count === undefined ? {} : { count }), searchable, history },
    ...(unique_together === undefined ? {} : { unique_together }),
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
