import type { FulfilledReactPromise } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { filesOfRecord } from '../cells/file-values.ts'
import { namesIn } from '../data/model-actions.ts'
import type { AnyRecord } from '../data/records.ts'
import type { FieldView, FormView } from '../data/views.ts'
import { LoadFailure } from '../load-failure.ts'
import { takesFiles } from '../widgets/file-fields.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import { type FormValues, valueIn } from './values.ts'

/** Names of the fields that a form does not display for a record. */
type HiddenFields = (self: FormValues) => ReadonlySet<string>

const NONE: ReadonlySet<string> = new Set()

/** True if the form displays all of its fields always, so that no conditions have to be loaded. */
export const hasConditions = (form: FormView): boolean => form.fields.some((field) => field.visible_when !== undefined)

const loaded = new WeakMap<FormView, Promise<HiddenFields>>()

/** What `use` of React reads of a promise that has ended, so that a form does not suspend for it. */
type Ended<Value> = Omit<FulfilledReactPromise<Value>, 'then'>

/** Loads the conditions of a form; the same promise for the same form, which says once it has ended. @throws {LoadFailure} */
export function loadConditions(form: FormView): Promise<HiddenFields> {
  const known = loaded.get(form)
  if (known !== undefined) return known
  const conditions: Promise<HiddenFields> = compile(form.fields, () => loaded.delete(form)).then((hidden) => {
    Object.assign(conditions, { status: 'fulfilled', value: hidden } satisfies Ended<HiddenFields>)
    return hidden
  })
  loaded.set(form, conditions)
  return conditions
}

/** The same for code that is no component: after a failure the next call loads them again. */
export async function readyConditions(form: FormView): Promise<HiddenFields> {
  try {
    return await loadConditions(form)
  } catch (error) {
    if (error instanceof LoadFailure) error.forget()
    throw error
  }
}

/**
 * Compiles the conditions of fields, in the Common Expression Language. A condition that cannot be evaluated is not met, as on the server.
 */
async function compile(fields: readonly FieldView[], forget: () => void): Promise<HiddenFields> {
  const { Environment } = await import('@marcbachmann/cel-js').catch((error: unknown) => {
    throw new LoadFailure(error, forget)
  })
  const environment = new Environment().registerVariable('self', 'map')
  const conditions = fields.flatMap(({ name, visible_when: when }) => {
    if (when === undefined) return []
    const program = environment.parse(when)
    return [{ name, isMet: (self: FormValues) => attempt(() => program({ self }) === true) }]
  })
  if (conditions.length === 0) return () => NONE
  return (self) => new Set(conditions.filter(({ isMet }) => !isMet(self)).map(({ name }) => name))
}

/** True if a record, as far as the page knows it, and the user meet a condition. */
export type ActionCondition = (self: FormValues, user: FormValues) => boolean

/**
 * Compiles the conditions of actions, by their texts. One that cannot be evaluated is met if it reads what the page does not know, such as a
 * field of a related record: the server decides then.
 */
export async function loadActionConditions(texts: readonly string[]): Promise<ReadonlyMap<string, ActionCondition>> {
  const { Environment } = await import('@marcbachmann/cel-js')
  const environment = new Environment().registerVariable('self', 'map').registerVariable('user', 'map')
  return new Map(
    texts.map((text): [string, ActionCondition] => {
      const program = environment.parse(text)
      const knows = (subject: 'self' | 'user', values: FormValues) => [...namesIn(text, subject)].every((name) => name in values)
      const isMet: ActionCondition = (self, user) =>
        attempt(() => program({ self, user }) === true, !knows('self', self) || !knows('user', user))
      return [text, isMet]
    }),
  )
}

function attempt(work: () => boolean, otherwise = false): boolean {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** The fields of a record that a list has read, as conditions of actions see them: decimals are numbers. */
export const knownOf = (model: SiteModel, record: AnyRecord): FormValues =>
  Object.fromEntries(
    model.fields.flatMap((field): [string, unknown][] => {
      if (!(field.name in record)) return []
      const value = valueIn(record, field)
      return [[field.name, field.type === 'decimal' && value !== null ? Number(value) : value]]
    }),
  )

/** The record as conditions see it: stored values under edited ones, null for a field that was never set. */
export function selfOf(model: SiteModel, record: AnyRecord | undefined, edits: FormValues): FormValues {
  return Object.fromEntries(
    model.fields.map((field) => {
      const value = field.name in edits ? edits[field.name] : valueIn(record, field)
      if (takesFiles(field)) return [field.name, filesOfRecord(value)]
      return [field.name, value instanceof Unparsed ? null : (value ?? null)]
    }),
  )
}
