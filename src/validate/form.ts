import Joi from 'joi'
import type { LimitsDefinition } from '../model/definition.ts'
import type { FileRules } from '../model/files.ts'
import { checkLimits, compileLimits, type Limits } from '../model/limits.ts'
import type { Model } from '../model/model.ts'
import { isObject, type Json, type JsonObject } from '../util/json.ts'
import { checkFormFiles, narrowedRules } from './form-files.ts'
import type { FieldIssues } from './issues.ts'
import { isEmpty } from './record.ts'
import { type Rule, RuleCompiler, type RuleCondition, ruleSubject } from './rules.ts'

/** The parts of a form view that concern validation. */
export interface FormSource {
  readonly name: string
  readonly fields: readonly {
    readonly name: string
    readonly title?: string
    readonly required?: boolean
    readonly options?: JsonObject
    readonly error?: { readonly message: string }
    readonly visible_when?: string
  }[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
  readonly rules?: readonly { readonly rule: string; readonly field: string; readonly message: string }[]
  readonly validate?: (record: never) => Readonly<Record<string, string | readonly string[] | undefined>> | undefined
}

/** A form compiled for validation of its model's records. */
export interface Form {
  readonly name: string
  readonly model: Model
  /** Fields that a create may set; undefined for all. */
  readonly creationFields: ReadonlySet<string> | undefined
  /** Fields that an update may set; undefined for all. */
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
  /** Rules of the files of a field; undefined where they are those of the model. */
  readonly files: FileRules | undefined
  /** The field's title in the form; undefined if the form gives it none. */
  readonly title: string | undefined
  /** Replaces generated messages. */
  readonly message: string | undefined
  /** Whether the form displays the field; undefined if always. */
  readonly visible: RuleCondition | undefined
}

/** An error in a form's definition. */
export interface FormProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

const whole = Joi.number().integer().min(0)
/** The members of a field's `options` that are validated. */
export const limitsSchema = Joi.object<LimitsDefinition>({
  choices: Joi.array().items(Joi.string(), Joi.number()).min(1),
  min_length: whole,
  max_length: whole,
  gt: Joi.number(),
  lt: Joi.number(),
  gte: Joi.number(),
  lte: Joi.number(),
  decimal_places: Joi.number().integer().min(0),
  pattern: Joi.string(),
})
  .rename('ge', 'gte')
  .rename('le', 'lte')
  .unknown()

/** Compiles a form's limits and rules; errors are returned as problems. */
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
  const compiler = new RuleCompiler(model)
  const fields = source.fields.flatMap(({ name, title, required = false, options = {}, error, visible_when: when }, index) => {
    const [visible] =
      when === undefined
        ? []
        : attempt(['fields', index, 'visible_when'], 'The condition cannot be used', () => compiler.condition(when))
    return attempt(['fields', index, 'options'], `The options of '${name}' cannot be used`, () => ({
      name,
      required,
      limits: formLimits(options),
      files: narrowed(model, name, options),
      title: title?.trim() === '' ? undefined : title,
      message: error?.message,
      visible,
    }))
  })
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

function narrowed(model: Model, name: string, options: JsonObject): FileRules | undefined {
  const field = model.fields.get(name)
  return field === undefined ? undefined : narrowedRules(field, options)
}

function formLimits(options: JsonObject): Limits {
  const { choices, ...rest } = options
  // Front ends often put a label beside each choice; only the value is validated.
  const values = Array.isArray(choices) ? choices.map((choice: Json) => (isObject(choice) ? choice.value : choice)) : choices
  const checked = limitsSchema.validate(values === undefined ? rest : { ...rest, choices: values }, { convert: false })
  if (checked.error !== undefined) throw new Error(checked.error.message)
  return compileLimits(checked.value)
}

/**
 * Validates a merged record against a form: mandatory fields, limits, rules. Generated messages, including those
 * in `issues`, name fields as the model does; a field's `error` replaces them.
 *
 * @param values the merged record; unchanged secrets are not checked against limits
 * @param unchangedSecrets names of secret fields whose value is the stored hash
 */
export function checkForm(form: Form, values: JsonObject, unchangedSecrets: ReadonlySet<string>, issues: FieldIssues): void {
  const self = form.fields.some(({ visible }) => visible !== undefined) ? ruleSubject(form.model, values) : {}
  for (const { name, required, limits, files, visible } of form.fields) {
    const value = values[name] ?? null
    if (unchangedSecrets.has(name)) continue
    const broken = files === undefined ? checkLimits(value, limits) : checkFormFiles(value, files)
    // A field that the form hides cannot be filled in.
    const isMandatory = required && visible?.holds(self) !== false
    const isMissing = isMandatory && isEmpty(value) && broken.length === 0 && !issues.has(name)
    const problems = isMissing ? ['is mandatory'] : broken
    issues.add(name, ...problems.map((problem) => `${name} ${problem}`))
  }
  useFormMessages(form, issues)
  checkRules(form, values, unchangedSecrets, issues)
}

/** Replaces the messages of fields whose `error` the form sets. */
export function useFormMessages({ fields }: Form, issues: FieldIssues): void {
  for (const { name, message } of fields) if (message !== undefined) issues.replace(name, message)
}

function checkRules(form: Form, values: JsonObject, unchangedSecrets: ReadonlySet<string>, issues: FieldIssues): void {
  const shown = { ...values, ...Object.fromEntries([...unchangedSecrets].map((name) => [name, HIDDEN])) }
  if (form.rules.length > 0) {
    const self = ruleSubject(form.model, shown)
    for (const rule of form.rules) if (!rule.holds(self)) issues.add(rule.field, rule.message)
  }
  if (form.validate === undefined) return
  // A copy, so that a form's function cannot modify the stored record.
  for (const [field, messages] of Object.entries(validateMessages(form, form.validate(structuredClone(shown)))))
    issues.add(field, ...messages)
}

/**
 * Validates the return value of a form's `validate` function, so that a mistake in it rejects the record rather than accepting
 * it.
 */
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

/** Replaces a stored secret in rules: present, but not readable. */
const HIDDEN = '********'
