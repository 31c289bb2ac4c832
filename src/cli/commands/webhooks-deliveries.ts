import { Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import type { QueryEntries } from '../../client/query.ts'
import { AppError } from '../../errors.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { MAX_PAGE } from '../model-requests.ts'
import { parseId, wholeNumber } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { printRecords } from '../style.ts'

/** A delivery as the API shows it. */
export interface ListedDelivery {
  readonly id: number
  readonly webhook_id: number
  readonly message_id: string
  readonly event: string
  readonly model: string
  readonly record_id: number | null
  readonly status: string
  readonly attempts: readonly { at: string; status: number | null; ms: number; error: string | null }[]
  readonly response: string
  readonly next_attempt_at: string | null
}

type DeliveryOptions = RemoteOptions & { status?: string; limit: number; json?: boolean }

/** Characters of a receiver's response shown in the table; `--json` prints all that is stored. */
const SHOWN_RESPONSE = 60

/** `admin webhooks test`: sends an event `test`, which concerns no record. */
export function testCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('test').description('send a test event once and print the result').argument('<id>', 'id of the webhook', parseId),
  )
    .option('--json', 'print the delivery as JSON')
    .addHelpText('after', '\nExample:\n  $ admin webhooks test 1\n')
    .action(async (id: number, options: DeliveryOptions) => {
      const { data } = (await withApi(io, options, ({ client }) =>
        client.request(`/webhooks/${id}/test`, { method: 'POST' }),
      )) as { data: ListedDelivery }
      show(io, [data], options)
      if (data.status !== 'delivered')
        throw new AppError('TASK_FAILED', `The test event to webhook ${id} failed: ${reasonOf(data)}`)
    })
}

/** `admin webhooks deliveries`: prints the delivery log, newest first. */
export function deliveriesCommand(io: Io): Command {
  const description = 'list deliveries, newest first: status, attempts, duration, response'
  return withRemoteOptions(new Command('deliveries').description(description).argument('[id]', 'id of a webhook', parseId))
    .addOption(new Option('--status <status>', 'only deliveries with this status').choices(['pending', 'delivered', 'failed']))
    .option('--limit <n>', `maximum number of deliveries, up to ${MAX_PAGE}`, wholeNumber('The limit', 1, MAX_PAGE), 20)
    .option('--json', 'print the deliveries as a JSON array, with all attempts and responses')
    .addHelpText('after', '\nExample:\n  $ admin webhooks deliveries 1 --status failed\n')
    .action(async (id: number | undefined, options: DeliveryOptions) => {
      const query = [
        ['page_size', options.limit],
        ['status', options.status],
      ] as const
      const { data } = await withApi(io, options, ({ client }) => deliveryPage(client, query, id))
      show(io, data, options)
    })
}

/** `admin webhooks redeliver`: delivers a message again, with the same message id. */
export function redeliverCommand(io: Io): Command {
  const command = new Command('redeliver').description(
    'repeat a delivery that was delivered or has failed, with the same message id',
  )
  command.addHelpText('after', '\nExample:\n  $ admin webhooks redeliver 7\n')
  return withRemoteOptions(command.argument('<delivery>', 'id of the delivery', parseId)).action(
    async (id: number, options: RemoteOptions) => {
      const served = await withApi(io, options, async ({ client, app }) => {
        await client.request(`/webhooks/deliveries/${id}/redeliver`, { method: 'POST' })
        return app === undefined
      })
      io.stderr.write(
        served
          ? `Delivery ${id} is queued\n`
          : `Delivery ${id} is queued; the next server, or \`admin webhooks drain\`, sends it\n`,
      )
    },
  )
}

/** The subscriptions; there are at most as many as a page has. */
export async function allSubscriptions<T>(client: Pick<Client, 'request'>): Promise<readonly T[]> {
  const { data } = (await client.request('/webhooks', { query: [['page_size', MAX_PAGE]] })) as { data: readonly T[] }
  return data
}

/** A page of the deliveries of a webhook, or of all, newest first. */
export async function deliveryPage(
  client: Pick<Client, 'request'>,
  query: QueryEntries,
  id?: number,
): Promise<{ readonly data: readonly ListedDelivery[]; readonly total: number }> {
  const path = id === undefined ? '/webhooks/deliveries' : `/webhooks/${id}/deliveries`
  return (await client.request(path, { query })) as { data: readonly ListedDelivery[]; total: number }
}

/** The event of a delivery in words: `create post 3`. */
export const eventOf = ({ event, model, record_id: id }: ListedDelivery): string => [event, model, id ?? ''].join(' ').trimEnd()

/** The outcome of the last attempt: its error, or the status of the response. */
export function reasonOf({ attempts }: ListedDelivery): string {
  const last = attempts.at(-1)
  return last === undefined ? 'no attempt yet' : (last.error ?? `status ${last.status}`)
}

const show = (io: Io, deliveries: readonly ListedDelivery[], options: DeliveryOptions): void =>
  printRecords(io, deliveries, options, {
    ID: ({ id }) => String(id),
    WEBHOOK: ({ webhook_id: id }) => String(id),
    EVENT: eventOf,
    STATUS: ({ status }) => status,
    ATTEMPTS: ({ attempts }) => String(attempts.length),
    LAST: ({ attempts }) => attempts.at(-1)?.at ?? '',
    MS: ({ attempts }) => `${attempts.at(-1)?.ms ?? ''}`,
    RESPONSE: outcomeOf,
  })

/** The error of the last attempt, or its status with the beginning of the response, and the time of the next one. */
function outcomeOf({ attempts, response, next_attempt_at: next }: ListedDelivery): string {
  const last = attempts.at(-1)
  const outcome = last?.error ?? [last?.status ?? '', response.replace(/\s+/g, ' ').slice(0, SHOWN_RESPONSE)].join(' ').trim()
  return outcome + (next === null ? '' : ` (next ${next})`)
}
