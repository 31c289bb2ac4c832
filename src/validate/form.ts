import Joi from 'joi'
import type { LimitsDefinition } from '../model/definition.ts'
import { checkLimits, compileLimits, type Limits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'
import type { FieldIssues } from './issues.ts'
import { isEmpty } from './record.ts'
import { type Rule, RuleCompiler, ruleSubject } from './rules.ts'

/** What a form view says about validation: the part of its definition that matters here. */
export interface FormSource {
  readonly name: string
  readonly fields: readonly {
    readonly name: string
    readonly required?: boolean
    readonly options?: JsonObject
    readonly error?: { readonly message: string }
  }[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
  readonly rules?: readonly { readonly rule: string; readonly field: string; readonly message: string }[]
  readonly validate?: (record: never) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined
}

/** A form, ready to be held against records of its model. */
export interface Form {
  readonly name: string
  readonly model: Model
  /** What may be set at creation; undefined when the form does not restrict it. */
  readonly creationFields: ReadonlySet<string> | undefined
  /** What may be changed on update; undefined when the form does not restrict it. */
  readonly updateFields: ReadonlySet<string> | undefined
  readonly fields: readonly FormField[]
  readonly rules: readonly Rule[]
  readonly validate:
    | ((record: JsonObject) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined)
    | undefined
}

interface FormField {
  readonly name: string
  readonly required: boolean
  readonly limits: Limits
  readonly message: string | undefined
}

/** A part of a form that cannot be used. */
export interface FormProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

const whole = Joi.number().integer().min(0)
/** Of a field's `options`, what is held against records. */
export const limitsSchema = Joi.object<LimitsDefinition>({
  choices: Joi.array().items(Joi.string(), Joi.number()).min(1),
  min_length: whole,
  max_length: whole,
  gt: Joi.number(),
  lt: Joi.number(),
  gte: Joi.number(),
  lte: Joi.number(),
  pattern: Joi.string(),
})
  .rename('ge', 'gte')
  .rename('le', 'lte')
  .unknown()

/** Compiles a form's bounds and rules; the problems say which of them are wrong. */
export function compileForm(source: FormSource, model: Model): { form: Form; problems: FormProblem[] } {
  const problems: FormProblem[] = []
  const attempt = <T>(path: FormProblem['path'], what: string, compile: () => T): T[] => {
    try {
      return [compile()]
    } catch (error) {
      problems.push({ path, message: `${what}: ${error instanceof Error ? error.message : String(error)}` })
      return []
    }
  }
  const fields = source.fields.flatMap(({ name, required = false, options = {}, error }, index) =>
    attempt(['fields', index, 'options'], `The options of '${name}' cannot be used`, () => ({
      name,
      required,
      limits: formLimits(options),
      message: error?.message,
    })),
  )
  const compiler = new RuleCompiler(model)
  const rules = (source.rules ?? []).flatMap((rule, index) =>
    attempt(['rules', index, 'rule'], 'The rule cannot be used', () => compiler.compile(rule)),
  )
  const creationFields = source.creation_fields && new Set(source.creation_fields)
  const updateFields = source.allowed_update_fields ? new Set(source.allowed_update_fields) : creationFields
  const form: Form = {
    name: source.name,
    model,
    creationFields,
    updateFields,
    fields,
    rules,
    validate: source.validate as Form['validate'],
  }
  return { form, problems }
}

function formLimits(options: JsonObject): Limits {
  const { choices, ...rest } = options
  // Front ends often want a label beside each choice; only the value is held against a record.
  const values = Array.isArray(choices) ? choices.map((choice: Json) => (isObject(choice) ? choice.value : choice)) : choices
  const checked = limitsSchema.validate(values === undefined ? rest : { ...rest, choices: values }, { convert: false })
  if (checked.error !== undefined) throw new Error(checked.error.message)
  return compileLimits(checked.value)
}

/**
 * Holds a merged record against a form: its mandatory fields, its bounds, its rules; then puts the form's own messages in
 * the place of generated ones, those of the model's validation in `issues` included.
 *
 * @param values the merged record; secrets that are not being changed are left out of bounds
 * @param unchangedSecrets names of fields whose value is stored and not plain
 */
export function checkForm(form: Form, values: JsonObject, unchangedSecrets: ReadonlySet<string>, issues: FieldIssues): void {
  for (const { name, required, limits } of form.fields) {
    const value = values[name] ?? null
    if (unchangedSecrets.has(name)) continue
    const broken = checkLimits(value, limits)
    const isMissing = required && isEmpty(value) && broken.length === 0 && !issues.has(name)
    const problems = isMissing ? ['is mandatory'] : broken
    issues.add(name, ...problems.map((problem) => `${name} ${problem}`))
  }
  useFormMessages(form, issues)
  checkRules(form, values, unchangedSecrets, issues)
}

/** Puts the messages that a form has of its own in the place of generated ones. */
export function useFormMessages({ fields }: Form, issues: FieldIssues): void {
  for (const { name, message } of fields) {
    if (message !== undefined) issues.replace(name, message)
  }
}

function checkRules(form: Form, values: JsonObject, unchangedSecrets: ReadonlySet<string>, issues: FieldIssues): void {
  const shown = { ...values, ...Object.fromEntries([...unchangedSecrets].map((name) => [name, HIDDEN])) }
  if (form.rules.length > 0) {
    const self = ruleSubject(form.model, shown)
    for (const rule of form.rules) if (!rule.holds(self)) issues.add(rule.field, rule.message)
  }
  if (form.validate === undefined) return
  // A copy, so that nothing that it does to its record reaches what is stored.
  for (const [field, messages] of Object.entries(validateMessages(form, form.validate(structuredClone(shown)))))
    issues.add(field, ...messages)
}

/** Holds what a form's own `validate` returned to what it may return, so that a slip in it never lets a record through. */
function validateMessages({ name }: Form, returned: unknown): Record<string, readonly string[]> {
  const fault = (what: string) =>
    new Error(`validate() of the form '${name}' must return messages by field or nothing, not ${what}`)
  if (returned === undefined || returned === null) return {}
  if (returned instanceof Promise) throw fault('a promise: it cannot be asynchronous')
  if (!isObject(returned)) throw fault(JSON.stringify(returned))
  const messages: Record<string, readonly string[]> = {}
  for (const [field, value] of Object.entries(returned)) {
    const list: unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value]
    if (!list.every((message) => typeof message === 'string')) throw fault(`${JSON.stringify(value)} for '${field}'`)
    messages[field] = list
  }
  return messages
}

/** Stands for a stored secret where rules look at the record: there, but not to be read. */
const HIDDEN = '********'
