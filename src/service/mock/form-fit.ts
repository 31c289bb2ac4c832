import { AppError } from '../../errors.ts'
import type { Series } from '../../mock/series.ts'
import { Model } from '../../model/model.ts'
import type { Json } from '../../util/json.ts'
import { checkForm, type Form } from '../../validate/form.ts'
import { FieldIssues } from '../../validate/issues.ts'
import { validated } from './mock-records.ts'

/** Maximum number of other values that are tried for a record. */
const MAX_ROUNDS = 500

type Values = Readonly<Record<string, Json>>

/** The form that mock records of a model obey: the first that can create records; undefined if there is none. */
export const creatingForm = (forms: Iterable<Form>, model: Model): Form | undefined =>
  [...forms].find((form) => form.model === model && form.creationFields?.size !== 0)

/** The model with the limits of a form, so that its values are generated within them. */
export function narrowed(model: Model, form: Form): Model {
  const fields = [...model.fields.values()].map((field) => {
    const { required = false, limits = {} } = form.fields.find(({ name }) => name === field.name) ?? {}
    return { ...field, required: field.required || required, limits: { ...field.limits, ...limits } }
  })
  return new Model({ ...model, fields })
}

/**
 * Replaces values of a mock record until it obeys the limits and rules of a form.
 *
 * @param data the first values of the record, with its relations
 * @throws {AppError} INVALID_REQUEST with the messages of the form if no values were found
 */
export function fitted(form: Form, series: Series, index: number, data: Values): Values {
  let record = data
  for (let round = 1; ; round++) {
    const issues = issuesOf(form, record)
    if (!issues.any) return record
    if (round > MAX_ROUNDS) {
      const words = `No values that form ${form.name} accepts were found in ${MAX_ROUNDS} tries; its last errors`
      throw new AppError('INVALID_REQUEST', { [form.model.key]: [`${words}: ${JSON.stringify(issues.toMessages())}`] })
    }
    record = { ...record, ...series.others(index, round) }
  }
}

/** Secrets are random and long; they are checked when they are stored. */
function issuesOf(form: Form, record: Values): FieldIssues {
  const issues = new FieldIssues()
  checkForm(form, validated(form.model, record), new Set(form.model.secrets), issues)
  return issues
}
