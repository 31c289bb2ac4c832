import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { didYouMean } from '../../util/suggest.ts'
import type { Form } from '../../validate/form.ts'

/**
 * The form that a request names.
 *
 * @param forms the forms of the project, by id
 * @returns undefined if the request names none
 * @throws {AppError} FORM_NOT_FOUND if there is none of that id, or it belongs to another model
 */
export function formOf(forms: ReadonlyMap<string, Form>, formId: string | undefined, model: Model): Form | undefined {
  if (formId === undefined) return undefined
  const form = forms.get(formId)
  if (form?.model === model) return form
  const known = [...forms.values()].filter((each) => each.model === model).map((each) => each.name)
  const reason = form === undefined ? 'does not exist' : `is a form of ${form.model.name}, not of ${model.name}`
  throw new AppError('FORM_NOT_FOUND', `Form '${formId}' ${reason}${didYouMean(formId, known)}`)
}
