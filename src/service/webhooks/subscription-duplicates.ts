import { scopeOf } from '../../config/webhook-settings.ts'
import type { StoredRecord } from '../../store/store.ts'
import { FieldIssues } from '../../validate/issues.ts'
import type { SubscriptionInput } from './subscription-requests.ts'

/**
 * Rejects subscriptions with the URL, events and models of another one: the receiver would get every message twice.
 *
 * @param isList names the fields `<index>.url`
 * @throws {AppError} VALIDATION_FAILED
 */
export function refuseDuplicates(
  inputs: readonly (SubscriptionInput | StoredRecord)[],
  present: readonly StoredRecord[],
  isList: boolean,
): void {
  const issues = new FieldIssues()
  const known = new Map(present.map((each) => [scopeOf(each), `webhook ${each.id}`]))
  for (const [index, input] of inputs.entries()) {
    const scope = scopeOf(input)
    const other = known.get(scope)
    if (other === undefined) known.set(scope, `webhooks[${index}]`)
    else
      issues.add(
        isList ? `${index}.url` : 'url',
        `url has the same events and models as ${other}; change that one, or remove it first`,
      )
  }
  issues.throwIfAny()
}
