import { Command, InvalidArgumentError, Option } from 'commander'
import { AppError } from '../../../errors.ts'
import { withApi } from '../../api/api-client.ts'
import { parseId } from '../../api/record-ids.ts'
import { type RemoteOptions, withRemoteOptions } from '../../api/remote.ts'
import type { Io } from '../../terminal/io.ts'
import { printableJson } from '../../terminal/printable.ts'
import { table } from '../../terminal/style.ts'

/** A delivery as the API shows it. */
export interface Delivery {
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

export const MAX_PAGE = 100
/** Of what a receiver answered a person is shown the beginning; all of it is in the JSON. */
const SHOWN_RESPONSE = 60

/** `admin webhooks test`: sends an event that tells of no record. */
export function testCommand(io: Io): Command {
  return withRemoteOptions(
    new Command('test')
      .description('send a test event, once, and say what came of it')
      .argument('<id>', 'id of the webhook', parseId),
  )
    .option('--json', 'print the delivery as JSON')
    .addHelpText('after', '\nExample:\n  $ admin webhooks test 1\n')
    .action(async (id: number, options: DeliveryOptions) => {
      const { data } = await withApi(io, options, (client) => client.request('POST', `/webhooks/${id}/test`))
      show(io, [data], options)
      if (data.status !== 'delivered')
        throw new AppError('TASK_FAILED', `Webhook ${id} did not take the test event: ${reasonOf(data)}`)
    })
}

/** `admin webhooks deliveries`: the log, last first. */
export function deliveriesCommand(io: Io): Command {
  const description = 'show deliveries, the last first: attempts, status, duration, response'
  return withRemoteOptions(new Command('deliveries').description(description).argument('[id]', 'id of a webhook', parseId))
    .addOption(new Option('--status <status>', 'only these').choices(['pending', 'delivered', 'failed']))
    .option('--limit <n>', `how many, up to ${MAX_PAGE}`, parseLimit, 20)
    .option('--json', 'print the deliveries as a JSON array, with all attempts and what was answered')
    .addHelpText('after', '\nExample:\n  $ admin webhooks deliveries 1 --status failed\n')
    .action(async (id: number | undefined, options: DeliveryOptions) => {
      const path = id === undefined ? '/webhooks/deliveries' : `/webhooks/${id}/deliveries`
      const status = options.status === undefined ? '' : `&status=${options.status}`
      const { data } = await withApi(io, options, (client) =>
        client.request('GET', `${path}?page_size=${options.limit}${status}`),
      )
      show(io, data, options)
    })
}

/** `admin webhooks redeliver`: delivers again, under the same id. */
export function redeliverCommand(io: Io): Command {
  const command = new Command('redeliver').description('deliver again what was delivered or given up, under the same id')
  command.addHelpText('after', '\nExample:\n  $ admin webhooks redeliver 7\n')
  return withRemoteOptions(command.argument('<delivery>', 'id of the delivery', parseId)).action(
    async (id: number, options: RemoteOptions) => {
      const served = await withApi(io, options, async (client) => {
        await client.request('POST', `/webhooks/deliveries/${id}/redeliver`)
        return client.app === undefined
      })
      io.stderr.write(
        served
          ? `Delivery ${id} is sent again\n`
          : `Delivery ${id} is sent again by the next server, or by \`admin webhooks drain\`\n`,
      )
    },
  )
}

/** What a delivery tells of. */
export const whatOf = ({ event, model, record_id: id }: Delivery): string => [event, model, id ?? ''].join(' ').trimEnd()

/** What came of the last attempt. */
export function reasonOf({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last === undefined ? 'none yet' : (last.error ?? `status ${last.status}`)
}

function show(io: Io, deliveries: readonly Delivery[], { json }: DeliveryOptions): void {
  if (json === true) {
    io.stdout.write(`${printableJson(deliveries)}\n`)
    return
  }
  const rows = deliveries.map((delivery) => {
    const { id, webhook_id: webhook, status, attempts, response, next_attempt_at: next } = delivery
    const last = attempts.at(-1)
    const answered = last?.error ?? [last?.status ?? '', response.replace(/\s+/g, ' ').slice(0, SHOWN_RESPONSE)].join(' ').trim()
    const waits = next === null ? '' : ` (next ${next})`
    return [
      String(id),
      String(webhook),
      whatOf(delivery),
      status,
      String(attempts.length),
      last?.at ?? '',
      `${last?.ms ?? ''}`,
      answered + waits,
    ]
  })
  io.stdout.write(table(['ID', 'WEBHOOK', 'EVENT', 'STATUS', 'ATTEMPTS', 'LAST', 'MS', 'ANSWER'], rows))
}

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > MAX_PAGE) throw new InvalidArgumentError(`A number from 1 to ${MAX_PAGE}.`)
  return limit
}
