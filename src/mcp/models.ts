import { AdminError } from '../client/admin-error.ts'
import type { Client } from '../client/client.ts'
import type { SiteModel } from '../client/types-site.ts'
import { isObject } from '../util/json.ts'
import { didYouMean, meantOrKnown } from '../util/suggest.ts'
import type { Purpose, ToolScope } from './tool.ts'
import { ToolError, toolMessageOf } from './tool-error.ts'

/** Names of a message that lists all. */
const MAX_NAMED = 40

/** The models that the tools take and the API shows. */
export async function visibleModels(client: Client, { models }: ToolScope): Promise<readonly SiteModel[]> {
  const site = await client.site()
  return site.models.filter(({ key }) => models === undefined || models.has(key))
}

/** @throws {ToolError} with the most similar name of a model, or all of them; the same for a model that is not shown and one that does not exist */
export async function usableModel(client: Client, scope: ToolScope, key: string): Promise<SiteModel> {
  const models = await visibleModels(client, scope)
  const found = models.find((each) => each.key === key)
  if (found !== undefined) return found
  const known = models.map((each) => each.key)
  const named =
    didYouMean(key, known) ||
    (known.length === 0
      ? '; there is none that you may use'
      : ` (known: ${known.slice(0, MAX_NAMED).join(', ')}${known.length > MAX_NAMED ? ', …; list_models has all' : ''})`)
  throw new ToolError(`There is no model '${key}' that you may use${named}`)
}

/** Names of fields that a call goes by, by argument: filters, sort keys, fields to return. */
export type Names = Readonly<Record<string, readonly string[] | undefined>>

/** The records of a model, as far as the tools show them. */
export interface ModelCall {
  readonly client: Client
  /** Path of the records of the model, below the API. */
  readonly path: string
  /** A record without the values of records whose model the tools do not take. */
  shown(record: unknown): unknown
  /** True for a model that the tools take, by its key. */
  isShown(model: string | null): boolean
}

/**
 * Calls the API for a model.
 *
 * @param names through which relations the call goes; checked only where the tools take some models
 * @throws {ToolError} for a model that the tools do not take or the API does not show, and where rights are missing
 */
export function onModel<T>(
  scope: ToolScope,
  purpose: Purpose,
  key: string,
  names: Names,
  work: (call: ModelCall) => Promise<T>,
): Promise<T> {
  return scope.place.withClient(purpose, async (client) => {
    const path = `/models/${encodeURIComponent(key)}`
    const limits = scope.models === undefined ? undefined : await limitsFor(client, scope, key)
    limits?.check(names)
    try {
      const shown: ModelCall['shown'] = (record) => limits?.shown(record) ?? record
      return await work({ client, path, shown, isShown: (model) => limits?.has(model) ?? true })
    } catch (error) {
      throw await explained(client, scope, key, names, error)
    }
  })
}

/** An error about a model, with the names that the caller may know: the API suggests names of records that refer to one, of any model. */
async function explained(client: Client, scope: ToolScope, key: string, names: Names, error: unknown): Promise<unknown> {
  if (!(error instanceof AdminError) || error.type === 'network') return error
  const message = await shownMessage(client, scope, error)
  const isOfRights = error.type === 'permission'
  const hasFields = error.type === 'validation'
  const isOfActions = error.summary === 'Action not found'
  const isOfNames = error.type === 'request' && error.status === 400
  if (!isOfRights && !hasFields && !isOfActions && !isOfNames && !isUnknownModel(error)) return new ToolError(message)
  const limits = await limitsFor(client, scope, key)
  limits.check(names)
  const { model } = limits
  if (hasFields) return new ToolError([message, ...meantFields(model, error)].join('\n'))
  const actions = model.actions.flatMap(({ name, can }) => (can ? [name] : []))
  if (isOfActions)
    return new ToolError(`${message}${message.includes('did you mean') ? '' : ` (known: ${actions.join(', ') || 'none'})`}`)
  if (!isOfRights) return new ToolError(message)
  const rights = [...model.can, ...actions].join(', ') || 'nothing'
  return new ToolError(`${message}. With ${key} you may: ${rights}. A related model may be one that you may not view`)
}

/**
 * The message of an error without the names of models that the tools do not show. Messages name those of records that others refer to, and of what
 * code of the project writes with a record.
 */
async function shownMessage(client: Client, scope: ToolScope, error: AdminError): Promise<string> {
  const message = toolMessageOf(error) ?? ''
  if (!/ with ID \d|^\S+\.\w+: /m.test(message)) return message
  const models = await visibleModels(client, scope)
  const shown = new Set(models.flatMap(({ key, name }) => [key, name]))
  return message
    .replace(/\w+(?= with ID \d)/g, (name) => (shown.has(name) ? name : 'A record'))
    .replace(/ is referenced by \d+ (\S+) records? \(\w+\)/g, (words, key) =>
      shown.has(key) ? words : ' is referenced by records of models that you may not use',
    )
    .replace(/^((?:\d+\.)*)([a-z]\w*)(?=\.\w+: )/gm, (words, index, key) =>
      shown.has(key) || key === 'input' ? words : `${index}(another record)`,
    )
}

/** True for the error of a model that does not exist, in either shape of errors. */
const isUnknownModel = ({ message }: AdminError): boolean => /^Model '.*' does not exist$/.test(message)

/** For each name in the errors of a write that is no field: the one that is meant, or all. */
function meantFields({ fields }: SiteModel, { fieldErrors }: AdminError): string[] {
  const known = fields.flatMap(({ name, readonly }) => (readonly ? [] : [name]))
  const unknown = Object.entries(fieldErrors).flatMap(([name, messages]) =>
    fields.some((field) => field.name === name) || !messages.some((each) => each.includes('does not exist')) ? [] : [name],
  )
  return unknown.slice(0, MAX_NAMED).map((name) => `'${name}' is no field${meantOrKnown(name, known)}`)
}

async function limitsFor(client: Client, scope: ToolScope, key: string): Promise<ModelLimits> {
  return new ModelLimits(await usableModel(client, scope, key), await visibleModels(client, scope))
}

/** What calls for a model reach: no model through a relation that the tools do not take or the API does not show. */
class ModelLimits {
  readonly model: SiteModel
  readonly #models: ReadonlyMap<string, SiteModel>

  constructor(model: SiteModel, models: readonly SiteModel[]) {
    this.model = model
    this.#models = new Map(models.map((each) => [each.key, each]))
  }

  has(model: string | null): boolean {
    return model !== null && this.#models.has(model)
  }

  /** @throws {ToolError} for a name that leads to another model, or is unknown */
  check(names: Names): void {
    for (const [argument, list] of Object.entries(names)) {
      for (const name of list ?? []) this.#follow(this.model, name.split(/__|\./), argument)
    }
  }

  #follow(model: SiteModel, [first = '', ...others]: readonly string[], argument: string): void {
    const field = model.fields.find(({ name, relation }) => name === first || relation?.name === first)
    const referrers = model.referenced_by.filter((each) => this.#models.has(each.model))
    if (field === undefined) {
      const takesReferrers = argument === 'include' || argument === 'fields'
      const referrer = takesReferrers ? referrers.find(({ name }) => name === first) : undefined
      const target = referrer === undefined ? undefined : this.#models.get(referrer.model)
      if (target !== undefined) {
        if (others.length > 0 && others[0] !== 'count') this.#follow(target, others, argument)
        return
      }
      const known = [
        ...model.fields.flatMap(({ name, relation }) => [name, ...(relation === null ? [] : [relation.name])]),
        ...(takesReferrers ? referrers.flatMap(({ name }) => name ?? []) : []),
      ]
      throw new ToolError(`${argument}: Unknown field '${first}' of ${model.key}${meantOrKnown(first, known)}`)
    }
    if (field.relation?.name !== first || field.name === first) return
    const target = this.#models.get(field.relation.model)
    if (target === undefined) {
      const remedy = `name '${field.name}', its id`
      throw new ToolError(`${argument}: '${first}' leads to a model that you may not use; ${remedy}`)
    }
    if (others.length > 0) this.#follow(target, others, argument)
  }

  /** A record with no more than the ids of records whose model is out of reach. */
  shown(record: unknown): unknown {
    if (!isObject(record)) return record
    const hidden = new Set(
      this.model.fields.flatMap(({ relation }) => (relation === null || this.#models.has(relation.model) ? [] : [relation.name])),
    )
    const members = Object.entries(record).map(([name, value]) => [name, hidden.has(name) ? idsOnly(value) : value])
    return Object.fromEntries(members)
  }
}

/** Related records by their ids. */
function idsOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(idsOnly)
  return isObject(value) ? { id: value.id } : value
}

/** The names of fields in filters: `author__username` in `author__username__in=ann`, of each of the filters that a bar parts. */
export const filteredNames = (filters: readonly string[] = []): string[] =>
  filters.flatMap((group) => group.split(/(?<!\\)\|/).map((filter) => filter.split('=')[0] ?? ''))
