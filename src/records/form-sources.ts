import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { didYouMean } from '../util/suggest.ts'
import type { Form } from '../validate/form.ts'

/** The forms that requests may name. */
export interface FormSources {
  /** The forms of the project, by id. */
  readonly forms: ReadonlyMap<string, Form>
  /** The form that the Views API generates for a model; undefined if the project has one for it. */
  readonly generated: (model: Model) => Form | undefined
}

/**
 * The form that a request names.
 *
 * @returns undefined if the request names none
 * @throws {AppError} FORM_NOT_FOUND if no form has that id, or it belongs to another model
 */
export function formOf({ forms, generated }: FormSources, formId: string | undefined, model: Model): Form | undefined {
  if (formId === undefined) return undefined
  const form = forms.get(formId)
  if (form?.model === model) return form
  const standIn = generated(model)
  if (standIn?.name === formId) return standIn
  const own = [...forms.values()].filter((each) => each.model === model)
  const known = (standIn === undefined ? own : [standIn]).map((each) => each.name)
  // The same for a form of another model, which the user may not know.
  throw new AppError('FORM_NOT_FOUND', `Form '${formId}' is no form of ${model.name}${didYouMean(formId, known)}`)
}
