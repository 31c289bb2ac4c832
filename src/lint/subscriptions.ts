import type { Definition, Path } from '../config/source.ts'
import { isObject } from '../util/json.ts'

/** The webhook subscriptions in the settings, in either notation. The shape may be wrong, which the settings schema reports. */
export function subscriptionsIn({ value }: Definition): { value: unknown; path: Path }[] {
  const webhooks = isObject(value) ? value.webhooks : undefined
  const list = isObject(webhooks) ? webhooks.subscriptions : webhooks
  const at = isObject(webhooks) ? ['webhooks', 'subscriptions'] : ['webhooks']
  return Array.isArray(list) ? list.map((each: unknown, index) => ({ value: each, path: [...at, index] })) : []
}
