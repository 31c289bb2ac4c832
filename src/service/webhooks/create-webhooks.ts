import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../log/log.ts'
import type { ReceiverLeases } from '../../store/receiver-leases.ts'
import { systemTimer, type Timer } from '../../util/timer.ts'
import type { Traffic } from '../../util/traffic.ts'
import { Sender } from '../../webhooks/requests/sender.ts'
import { isLoopback, type Resolve, UrlGuard } from '../../webhooks/requests/url-guard.ts'
import { RetrySchedule } from '../../webhooks/scheduling/retry-schedule.ts'
import { Throttle } from '../../webhooks/scheduling/throttle.ts'
import type { SubscriptionParts } from './subscriptions.ts'
import { Webhooks } from './webhooks.ts'

/** Creates the webhook service from a project's settings. */
export function createWebhooks(
  parts: SubscriptionParts & {
    readonly settings: Settings
    readonly log: Log
    readonly traffic: Traffic
    readonly leases: ReceiverLeases | undefined
  },
  { timer = systemTimer, resolve }: { readonly timer?: Timer; readonly resolve?: Resolve },
): Webhooks {
  const { settings, clock, random } = parts
  const { allow_private: allowPrivate = isLoopback(settings.host), retry_schedule: seconds, keep } = settings.webhooks
  const guard = new UrlGuard(allowPrivate, resolve)
  return new Webhooks({
    ...parts,
    guard,
    sender: new Sender({ guard, clock }),
    schedule: new RetrySchedule(seconds, random),
    throttle: new Throttle(parts),
    timer,
    keep,
  })
}
