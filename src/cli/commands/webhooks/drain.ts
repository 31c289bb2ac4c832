import { setTimeout as delay } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { AppError } from '../../../errors.ts'
import { type Clock, systemClock } from '../../../util/clock.ts'
import { type ApiClient, withApi } from '../../api/api-client.ts'
import { type RemoteOptions, withRemoteOptions } from '../../api/remote.ts'
import type { Io } from '../../terminal/io.ts'
import { type Delivery, MAX_PAGE, reasonOf, whatOf } from './deliveries.ts'

/** How long it is waited between two looks: the first time, and at most. A look is one request of the first superuser's. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 2000
/** Of so many looks one is at when deliveries are tried next, the others at how many are pending. */
const SCHEDULE_EVERY = 4
/** How many deliveries are named that nobody will try again. */
const MAX_NAMED = 20

export interface DrainOptions {
  /** In seconds. */
  readonly timeout: number
  /** Leaves deliveries out that were given up. */
  readonly ignoreFailed?: boolean
}

/** How time passes. */
export interface DrainTime {
  readonly clock: Clock
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** What drain has to know of a subscription. */
interface Subscription {
  readonly id: number
  readonly active: boolean
  readonly disabled_by: string | null
  readonly pending: number
}

const HELP = `
Delivers by itself when no server runs.

Fails, too, while there are deliveries that were given up, however long ago, but for test events; redeliver them, or remove their
webhook, or add --ignore-failed. And when deliveries wait for a webhook that was disabled because it failed or is gone. What waits for one
that was disabled by hand, or in the settings, is not waited for.

Example:
  $ admin webhooks drain --timeout 10 && echo all delivered
`

/** `admin webhooks drain`: waits until everything is delivered. Without a server it delivers by itself. */
export function drainCommand(io: Io): Command {
  return withRemoteOptions(new Command('drain').description('wait until nothing is pending, or fail with what is stuck'))
    .option('--timeout <seconds>', 'how long to wait', parseSeconds, 30)
    .option('--ignore-failed', 'do not fail because of deliveries that were given up')
    .addHelpText('after', HELP)
    .action((options: RemoteOptions & DrainOptions) =>
      withApi(io, options, async (client) => {
        await client.app?.webhooks.deliver()
        await drain(client, options, { clock: systemClock, wait: delay })
        io.stderr.write('Nothing is pending\n')
      }),
    )
}

/**
 * Waits until everything is delivered.
 *
 * @throws {AppError} TASK_FAILED with what is not; RATE_LIMITED when the API has to be waited for longer than the timeout
 */
export async function drain(
  client: Pick<ApiClient, 'request'>,
  options: DrainOptions,
  { clock, wait }: DrainTime,
): Promise<void> {
  const deadline = clock() + 1000 * options.timeout
  const get: Get = async (path) => {
    for (;;) {
      try {
        return await client.request('GET', path)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error
        const pause = 1000 * (error.retryAfter ?? 1)
        if (clock() + pause > deadline) throw error
        await wait(pause)
      }
    }
  }
  let pending = 0
  for (let look = 1; ; look++) {
    if (look % SCHEDULE_EVERY === 0) {
      if (await waitsLongerThan(get, pending, deadline)) throw await stuck(get, pending)
    } else {
      const subscriptions = await subscriptionsOf(get)
      pending = subscriptions.reduce((sum, { active, pending: count }) => sum + (active ? count : 0), 0)
      if (pending === 0) {
        await expectNoneLeft(get, subscriptions, options)
        return
      }
      if (clock() >= deadline) throw await stuck(get, pending)
    }
    // Not past the deadline, when everything is looked at once more.
    await wait(Math.max(0, Math.min(FIRST_WAIT_MS * 2 ** (look - 1), LONGEST_WAIT_MS, deadline - clock())))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a parse boundary, as that of ApiClient
type Get = (path: string) => Promise<any>

const subscriptionsOf = async (get: Get): Promise<readonly Subscription[]> => (await get(`/webhooks?page_size=${MAX_PAGE}`)).data

const pendingDeliveries = (get: Get): Promise<{ data: readonly Delivery[]; total: number }> =>
  get(`/webhooks/deliveries?status=pending&page_size=${MAX_PAGE}`)

/** True when everything that is pending was tried, and will not be tried again in time. */
async function waitsLongerThan(get: Get, pending: number, deadline: number): Promise<boolean> {
  const { data, total } = await pendingDeliveries(get)
  return total >= pending && data.every(({ next_attempt_at: next }) => next !== null && Date.parse(next) > deadline)
}

async function stuck(get: Get, pending: number): Promise<AppError> {
  const { data } = await pendingDeliveries(get)
  const lines = data.map((delivery) => `${described(delivery)}; next at ${delivery.next_attempt_at ?? 'once'}`)
  return new AppError('TASK_FAILED', [`${pending} deliveries are pending`, ...lines].join('\n'))
}

/** @throws {AppError} TASK_FAILED with what is not delivered although nothing is waited for */
async function expectNoneLeft(get: Get, subscriptions: readonly Subscription[], options: DrainOptions): Promise<void> {
  const heldBack = subscriptions
    .filter(({ active, disabled_by: by, pending }) => !active && pending > 0 && (by === 'gone' || by === 'failing'))
    .map(({ id, disabled_by: by, pending }) => {
      const remedy = `mend the receiver and enable it (admin webhooks enable ${id}), or remove it`
      return `${pending} deliveries wait for webhook ${id}, which is disabled (${by}); ${remedy}`
    })
  const failed = options.ignoreFailed === true ? [] : await failedDeliveries(get)
  const givenUp = failed.map((delivery) => `${described(delivery)}; given up: admin webhooks redeliver ${delivery.id}`)
  if (heldBack.length + givenUp.length > 0) throw new AppError('TASK_FAILED', [...heldBack, ...givenUp].join('\n'))
}

/** Deliveries that were given up, the last first. A test is none: it is sent once, and whoever sent it was told. */
async function failedDeliveries(get: Get): Promise<readonly Delivery[]> {
  const failed: Delivery[] = []
  for (let page = 1; failed.length < MAX_NAMED; page++) {
    const { data }: { data: readonly Delivery[] } = await get(
      `/webhooks/deliveries?status=failed&page_size=${MAX_PAGE}&page=${page}`,
    )
    failed.push(...data.filter(({ event }) => event !== 'test'))
    if (data.length < MAX_PAGE) break
  }
  return failed.slice(0, MAX_NAMED)
}

function described(delivery: Delivery): string {
  const { id, webhook_id: webhook, attempts } = delivery
  return `delivery ${id} to webhook ${webhook} (${whatOf(delivery)}): ${attempts.length} attempts, the last: ${reasonOf(delivery)}`
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text)) throw new InvalidArgumentError('A number of seconds.')
  return Number(text)
}
