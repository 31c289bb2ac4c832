import { setTimeout as delay } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { AdminError, type Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { type Clock, systemClock } from '../../util/clock.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { MAX_PAGE } from '../model-requests.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { allSubscriptions, deliveryPage, eventOf, type ListedDelivery, reasonOf } from './webhooks-deliveries.ts'

/** First and longest wait between two polls; it doubles in between. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 2000
/** Every fourth poll reads the schedule of the pending deliveries; the others read the subscriptions, which have their numbers. */
const SCHEDULE_EVERY = 4
/** Maximum number of failed deliveries listed. */
const MAX_NAMED = 20

/** `drain` waits itself, until its own timeout. */
const NO_RETRY = { times: 0, seconds: 0 }

/** Options of `drain`. */
export interface DrainOptions {
  /** Maximum time to wait, in seconds. */
  readonly timeout: number
  /** Does not report failed deliveries. */
  readonly ignoreFailed?: boolean
}

/** Clock and timer, replaced in tests. */
export interface DrainTime {
  readonly clock: Clock
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** The part of a subscription that drain uses. */
interface Subscription {
  readonly id: number
  readonly active: boolean
  readonly disabled_by: string | null
  readonly pending: number
}

const HELP = `
Without a running server, the command sends the deliveries itself.

The command fails before the timeout if the next attempt of every pending delivery is after it. It also fails while there are failed
deliveries, however old, except test events. Redeliver them, remove their webhook, or add --ignore-failed. It fails if deliveries are
pending for a webhook that was disabled because its receiver failed or is gone. It does not wait for webhooks that were disabled by
hand or in the settings.

Example:
  $ admin webhooks drain --timeout 10 && echo all delivered
`

/** `admin webhooks drain`: waits until no delivery is pending. Without a server it sends the deliveries itself. */
export function drainCommand(io: Io): Command {
  return withRemoteOptions(new Command('drain').description('wait until no delivery is pending, or fail and list those that are'))
    .option('--timeout <seconds>', 'maximum time to wait', parseSeconds, 30)
    .option('--ignore-failed', 'do not fail because of failed deliveries')
    .addHelpText('after', HELP)
    .action((options: RemoteOptions & DrainOptions) =>
      withApi(
        io,
        options,
        async ({ client, app }) => {
          await app?.webhooks.startDelivery()
          await drain(client, options, { clock: systemClock, wait: delay })
          io.stderr.write('No delivery is pending\n')
        },
        { retry: NO_RETRY },
      ),
    )
}

/**
 * Waits until no delivery is pending. Fails before the timeout if the next attempt of each is after it.
 *
 * @throws {AppError} TASK_FAILED with the pending or failed deliveries
 * @throws {AdminError} of type `rate_limit` when the API requires a wait beyond the timeout
 */
export async function drain(client: Pick<Client, 'request'>, options: DrainOptions, { clock, wait }: DrainTime): Promise<void> {
  const deadline = clock() + 1000 * options.timeout
  const patient: Api = {
    async request(path, options) {
      for (;;) {
        try {
          return await client.request(path, options)
        } catch (error) {
          if (!(error instanceof AdminError) || error.type !== 'rate_limit') throw error
          const pause = 1000 * (error.retryAfter ?? 1)
          if (clock() + pause > deadline) throw error
          await wait(pause)
        }
      }
    },
  }
  let pending = 0
  for (let poll = 1; ; poll++) {
    if (poll % SCHEDULE_EVERY === 0) {
      if (await isScheduledAfter(patient, pending, deadline)) throw await pendingError(patient, pending)
    } else {
      const subscriptions = await allSubscriptions<Subscription>(patient)
      pending = subscriptions.reduce((sum, { active, pending: count }) => sum + (active ? count : 0), 0)
      if (pending === 0) {
        await expectNoneFailed(patient, subscriptions, options)
        return
      }
      if (clock() >= deadline) throw await pendingError(patient, pending)
    }
    // Waits no longer than the deadline.
    await wait(Math.max(0, Math.min(FIRST_WAIT_MS * 2 ** (poll - 1), LONGEST_WAIT_MS, deadline - clock())))
  }
}

type Api = Pick<Client, 'request'>

const pendingDeliveries = (api: Api) =>
  deliveryPage(api, [
    ['status', 'pending'],
    ['page_size', MAX_PAGE],
  ])

/** True if the next attempt of every pending delivery is after the deadline. False if there are more of them than a page has. */
async function isScheduledAfter(api: Api, pending: number, deadline: number): Promise<boolean> {
  const { data, total } = await pendingDeliveries(api)
  const isComplete = total >= pending && data.length === total
  return isComplete && data.every(({ next_attempt_at: next }) => next !== null && Date.parse(next) > deadline)
}

async function pendingError(api: Api, pending: number): Promise<AppError> {
  const { data } = await pendingDeliveries(api)
  const lines = data.map((delivery) => `${described(delivery)}; next at ${delivery.next_attempt_at ?? 'any moment'}`)
  return new AppError('TASK_FAILED', [`${pending} deliveries are pending`, ...lines].join('\n'))
}

/** @throws {AppError} TASK_FAILED with the failed deliveries and those pending for webhooks that were disabled automatically */
async function expectNoneFailed(api: Api, subscriptions: readonly Subscription[], options: DrainOptions): Promise<void> {
  const heldBack = subscriptions
    .filter(({ active, disabled_by: by, pending }) => !active && pending > 0 && (by === 'gone' || by === 'failing'))
    .map(({ id, disabled_by: by, pending }) => {
      const remedy = `fix the receiver and enable the webhook (admin webhooks enable ${id}), or remove it`
      return `${pending} deliveries are pending for webhook ${id}, which is disabled (${by}); ${remedy}`
    })
  const failed = options.ignoreFailed === true ? [] : await failedDeliveries(api)
  const failures = failed.map((delivery) => `${described(delivery)}; failed: admin webhooks redeliver ${delivery.id}`)
  if (heldBack.length + failures.length > 0) throw new AppError('TASK_FAILED', [...heldBack, ...failures].join('\n'))
}

/** Failed deliveries, newest first. Excludes test events: each is sent once, and its sender saw the result. */
async function failedDeliveries(api: Api): Promise<readonly ListedDelivery[]> {
  const failed: ListedDelivery[] = []
  for (let page = 1; failed.length < MAX_NAMED; page++) {
    const { data } = await deliveryPage(api, [
      ['status', 'failed'],
      ['page_size', MAX_PAGE],
      ['page', page],
    ])
    failed.push(...data.filter(({ event }) => event !== 'test'))
    if (data.length < MAX_PAGE) break
  }
  return failed.slice(0, MAX_NAMED)
}

function described(delivery: ListedDelivery): string {
  const { id, webhook_id: webhook, attempts } = delivery
  return `delivery ${id} to webhook ${webhook} (${eventOf(delivery)}): ${attempts.length} attempts, the last: ${reasonOf(delivery)}`
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}
