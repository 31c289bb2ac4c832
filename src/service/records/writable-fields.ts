import { type Actor, isPrivileged, SYSTEM } from '../../auth/permissions.ts'
import type { Model } from '../../model/model.ts'
import type { Form } from '../../validate/form.ts'
import { FieldIssues, MAX_NAMED } from '../../validate/issues.ts'
import { forbidden } from '../access/refusals.ts'
import type { RecordData } from './write-requests.ts'

/**
 * Checks the fields of a create against the model and the form's `creation_fields`.
 *
 * @throws {AppError} FORBIDDEN for a field that only a superuser may set
 */
export function checkCreationKeys(actor: Actor, model: Model, form: Form | undefined, data: RecordData): FieldIssues {
  const refusal = (name: string) => `Field '${name}' is not allowed to be set at creation`
  return checkKeys(actor, model, form?.creationFields, data, refusal)
}

/**
 * Checks the fields of an update against the model and the form's `allowed_update_fields`.
 *
 * @throws {AppError} FORBIDDEN for a field that only a superuser may set
 */
export function checkUpdateKeys(actor: Actor, model: Model, form: Form | undefined, data: RecordData): FieldIssues {
  const refusal = (name: string) => `Field '${name}' is not allowed to be updated`
  return checkKeys(actor, model, form?.updateFields, data, refusal)
}

function checkKeys(
  actor: Actor,
  model: Model,
  allowed: ReadonlySet<string> | undefined,
  data: RecordData,
  refusal: (name: string) => string,
): FieldIssues {
  const issues = new FieldIssues()
  for (const name of Object.keys(data)) {
    if (issues.size >= MAX_NAMED) break
    const field = model.fields.get(name)
    const isRefused = allowed?.has(name) === false || field?.system === true || (field?.serverSet === true && actor !== SYSTEM)
    if (isRefused) issues.add(name, refusal(name))
    else if (field === undefined) issues.add(name, `Field '${name}' does not exist`)
    else if (!actor.isSuperuser && isPrivileged(model, name)) throw forbidden(actor)
  }
  return issues
}
