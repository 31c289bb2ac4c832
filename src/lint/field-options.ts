import { flatSource, type Path, type Source } from '../config/source.ts'
import type { LimitsDefinition } from '../model/definition.ts'
import type { Model } from '../model/model.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'
import type { FormViewDefinition } from '../views/definition.ts'
import type { DefinedForm, DefinedView } from '../views/views.ts'
import type { LintProject } from './project.ts'

type NumberBound = 'min_length' | 'max_length' | 'gt' | 'gte' | 'lt' | 'lte'

/** A numeric limit with its spelling: `ge` and `le` are aliases. */
export interface WrittenBound {
  readonly key: string
  readonly bound: NumberBound
  readonly value: number
}

const SPELLINGS: Readonly<Record<string, NumberBound>> = {
  min_length: 'min_length',
  max_length: 'max_length',
  gt: 'gt',
  gte: 'gte',
  ge: 'gte',
  lt: 'lt',
  lte: 'lte',
  le: 'lte',
}

/** The numeric limits of a form's field. */
export function boundsOf(options: JsonObject | undefined): WrittenBound[] {
  return Object.entries(options ?? {}).flatMap(([key, value]) => {
    const bound = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    return bound !== undefined && typeof value === 'number' ? [{ key, bound, value }] : []
  })
}

/** The choices that a form offers for a field, with or without labels. */
export function offeredChoices(options: JsonObject | undefined): readonly Json[] | undefined {
  const choices = options?.choices
  if (!Array.isArray(choices)) return undefined
  return choices.map((choice: Json) => (isObject(choice) ? (choice.value as Json) : choice))
}

/** The well-formed limits in the options of a form's field. */
export function limitsIn(options: JsonObject | undefined): LimitsDefinition {
  const numbers = Object.fromEntries(boundsOf(options).map(({ bound, value }) => [bound, value]))
  const choices = offeredChoices(options)?.filter((each) => typeof each === 'string' || typeof each === 'number')
  const pattern = options?.pattern
  return { ...numbers, ...(choices && { choices }), ...(typeof pattern === 'string' && { pattern }) }
}

/** One end of a range; `open` excludes the end itself. */
interface End {
  readonly at: number
  readonly open: boolean
}

type Numbers = Pick<LimitsDefinition, NumberBound>

/** The lower end of a numeric range. */
export function lowest({ gt = -Infinity, gte = -Infinity }: Numbers): End {
  return gt >= gte ? { at: gt, open: gt !== -Infinity } : { at: gte, open: false }
}

/** The upper end of a numeric range. */
export function highest({ lt = Infinity, lte = Infinity }: Numbers): End {
  return lt <= lte ? { at: lt, open: lt !== Infinity } : { at: lte, open: false }
}

/** True if a lower end admits values that the other excludes. */
export const isBelow = (a: End, b: End): boolean => a.at < b.at || (a.at === b.at && !a.open && b.open)

/** True if an upper end admits values that the other excludes. */
export const isAbove = (a: End, b: End): boolean => a.at > b.at || (a.at === b.at && !a.open && b.open)

/** Path of a field in a model's definition; the path of all fields for an implicit one. */
export function fieldPath(definition: unknown, name: string): Path {
  const fields = isObject(definition) && Array.isArray(definition.fields) ? definition.fields : []
  const index = fields.findIndex((field: unknown) => isObject(field) && field.name === name)
  return index === -1 ? ['fields'] : ['fields', index]
}

/** The source of a model; undefined for built-in ones. */
export function modelSource({ models }: LintProject, { key, name }: Model): { source: Source; value: unknown } {
  const { source, value } = models.find(({ model }) => model.key === key)?.definition ?? {}
  return { source: source ?? flatSource(`built-in model ${name}`), value }
}

/** The models of both versions, as pairs of old and new. */
export function commonModels(before: LintProject, after: LintProject): [Model, Model][] {
  return before.registry.public.flatMap((was) => {
    const is = after.registry.get(was.key)
    return is === undefined || is.internal ? [] : [[was, is] as [Model, Model]]
  })
}

/** The forms of both versions with equal names and models. */
export function commonForms(
  before: LintProject,
  after: LintProject,
): { was: FormViewDefinition; is: DefinedForm; model: Model }[] {
  return before.views.flatMap(({ view: was, modelKey }) => {
    const is = after.views.find(({ view }) => view.name === was.name)
    const model = after.registry.get(modelKey)
    if (was.view_type !== 'form' || model === undefined || is === undefined || !isForm(is)) return []
    return is.modelKey === modelKey ? [{ was, is, model }] : []
  })
}

const isForm = (view: DefinedView): view is DefinedForm => view.view.view_type === 'form'

/** The position of something removed: its former file, if that still exists. */
export const formerSource = ({ file }: Source): Source => flatSource(file)
