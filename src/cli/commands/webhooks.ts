import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { parseId } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { printRecords } from '../style.ts'
import { allSubscriptions, deliveriesCommand, redeliverCommand, testCommand } from './webhooks-deliveries.ts'
import { drainCommand } from './webhooks-drain.ts'
import { listenCommand } from './webhooks-listen.ts'

type JsonOptions = RemoteOptions & { json?: boolean }
type AddOptions = JsonOptions & { events?: string[]; models?: string[]; secret?: string }

/** A subscription as the API shows it. */
interface Subscription {
  readonly id: number
  readonly url: string
  readonly events: readonly string[]
  readonly models: readonly string[]
  readonly active: boolean
  readonly disabled_by: string | null
  readonly pending: number
  readonly secret?: string
}

/** `admin webhooks`: manages subscriptions and deliveries. Works with and without a running server. */
export function webhooksCommand(io: Io): Command {
  const webhooks = new Command('webhooks')
    .description('manage webhooks, inspect deliveries, receive them locally')
    .addHelpText('after', '\nExample:\n  $ admin webhooks listen\n')
  const commands = [
    addCommand(io),
    listCommand(io),
    removeCommand(io),
    activeCommand(io, 'enable', true),
    activeCommand(io, 'disable', false),
    rotateCommand(io),
    testCommand(io),
    deliveriesCommand(io),
    redeliverCommand(io),
    listenCommand(io),
    drainCommand(io),
  ]
  for (const command of commands) webhooks.addCommand(command)
  return webhooks
}

function addCommand(io: Io): Command {
  return withRemoteOptions(new Command('add').description('add a webhook').argument('<url>', 'URL of the receiver'))
    .option('--events <list>', 'events to deliver, separated by commas: create, update, delete (default: all)', names)
    .option('--models <list>', 'models to deliver events of, separated by commas (default: all)', names)
    .option('--secret <secret>', 'signing secret (default: generated, and shown once)')
    .option('--json', 'print the subscription as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  $ admin webhooks add https://example.com/hooks --events create,update --models article\n',
    )
    .action(async (url: string, { events, models, secret, ...options }: AddOptions) => {
      const data = await withApi(io, options, ({ client }) => post(client, '/webhooks', { url, events, models, secret }))
      showSecret(io, data, options, `Added webhook ${data.id}`)
    })
}

function listCommand(io: Io): Command {
  return withRemoteOptions(new Command('list').description('list all webhooks'))
    .option('--json', 'print the webhooks as a JSON array')
    .addHelpText('after', '\nExample:\n  $ admin webhooks list --json\n')
    .action(async (options: JsonOptions) => {
      const all = await withApi(io, options, ({ client }) => allSubscriptions<Subscription>(client))
      printRecords(io, all, options, {
        ID: ({ id }) => String(id),
        ACTIVE: ({ active, disabled_by: by }) => (active ? 'yes' : `no (${by ?? 'hand'})`),
        EVENTS: ({ events }) => events.join(','),
        MODELS: ({ models }) => models.join(',') || 'all',
        PENDING: ({ pending }) => String(pending),
        URL: ({ url }) => url,
      })
    })
}

function removeCommand(io: Io): Command {
  return withRemoteOptions(withId('remove', 'remove a webhook and its deliveries')).action(
    async (id: number, options: RemoteOptions) => {
      await withApi(io, options, ({ client }) => client.request(`/webhooks/${id}`, { method: 'DELETE' }))
      io.stderr.write(`Removed webhook ${id}\n`)
    },
  )
}

function activeCommand(io: Io, name: 'enable' | 'disable', active: boolean): Command {
  const description = active
    ? 'resume deliveries, starting with pending ones'
    : 'pause deliveries until the webhook is enabled again'
  return withRemoteOptions(withId(name, description)).action(async (id: number, options: RemoteOptions) => {
    await withApi(io, options, ({ client }) => client.request(`/webhooks/${id}`, { method: 'PUT', body: { active } }))
    io.stderr.write(`Webhook ${id} is ${name}d\n`)
  })
}

function rotateCommand(io: Io): Command {
  return withRemoteOptions(withId('rotate', 'replace the signing secret; the old one stays valid for a day'))
    .option('--secret <secret>', 'new signing secret (default: generated)')
    .option('--json', 'print the subscription as JSON')
    .action(async (id: number, options: JsonOptions & { secret?: string }) => {
      const body = { secret: options.secret }
      const data = await withApi(io, options, ({ client }) => post(client, `/webhooks/${id}/rotate`, body))
      showSecret(io, data, options, `Rotated the secret of webhook ${id}; the old one is valid for another day`)
    })
}

function showSecret(io: Io, subscription: Subscription, { json }: JsonOptions, done: string): void {
  io.stderr.write(`${done}. The secret is shown only once.\n`)
  io.stdout.write(json === true ? `${JSON.stringify(subscription)}\n` : `${subscription.secret}\n`)
}

/** Sends a request that returns a subscription. */
async function post(client: Client, path: string, body: object): Promise<Subscription> {
  return ((await client.request(path, { method: 'POST', body })) as { data: Subscription }).data
}

function withId(name: string, description: string): Command {
  const command = new Command(name).description(description).argument('<id>', 'id of the webhook', parseId)
  return command.addHelpText('after', `\nExample:\n  $ admin webhooks ${name} 1\n`)
}

const names = (text: string): string[] => text.split(',').map((name) => name.trim())
