import assert from 'node:assert/strict'
import { verify as verifyHub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { EVENTS } from '../../src/webhooks/models.ts'
import type { Webhooks } from '../../src/webhooks/webhooks.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../helpers/api/app.ts'
import { type Answer, type Received, type Receiver, startReceiver } from '../helpers/api/receiver.ts'
import { play } from '../helpers/api/scenario.ts'

export const WEBHOOKS = '/api/v1/webhooks'
export const TAGS = '/api/v1/models/tag'

/** An application that delivers to a receiver in this process, with a fake clock. */
export interface Delivering {
  readonly app: TestApp
  readonly worker: Awaited<ReturnType<Webhooks['startDelivery']>>
  readonly receiver: Receiver
  readonly id: number
  readonly secret: string
  /** Advances the clock and completes every attempt that is due. */
  pass(milliseconds: number): Promise<void>
}

/**
 * @param subscription members of the subscription besides its URL
 * @param as user name of a superuser
 */
export async function delivering(
  answers: readonly Answer[],
  body: (delivering: Delivering) => Promise<void>,
  { subscription = {}, as = 'admin', ...options }: TestAppOptions & { subscription?: object; as?: string } = {},
): Promise<void> {
  await using receiver = await startReceiver(...answers)
  await using app = await openTestApp(options)
  const { id, secret } = await subscribe(app, { url: receiver.url, ...subscription }, as)
  const worker = await app.app.webhooks.startDelivery()
  const pass = async (milliseconds: number) => {
    app.advance(milliseconds)
    await worker.idle()
  }
  await body({ app, worker, receiver, id, secret, pass })
}

export async function subscribe(app: TestApp, body: object, as = 'admin'): Promise<{ id: number; secret: string }> {
  const reply = await play(app, { request: `POST ${WEBHOOKS}`, as, body, status: 201 })
  return reply.json.data
}

let tags = 0

/** Creates a tag, which causes one event. */
export async function makeTag(app: TestApp): Promise<number> {
  tags++
  const body = { data: { name: `Tag number ${tags}`, slug: `tag-number-${tags}` } }
  return (await play(app, { request: `POST ${TAGS}`, body, status: 201 })).json.data.id
}

/** Entries of the delivery log, latest first. */
export async function deliveriesOf(app: TestApp, id: number, query = ''): Promise<{ [member: string]: unknown }[]> {
  return (await play(app, { request: `GET ${WEBHOOKS}/${id}/deliveries${query}`, status: 200 })).json.data
}

/** The ids of the events that are read from the store during some work. */
export async function readingEvents({ app: { store } }: TestApp, work: () => Promise<unknown>): Promise<number[]> {
  const ids: number[] = []
  const { find } = store
  store.find = async (table, ...rest) => {
    const page = await find.call(store, table, ...rest)
    if (table === EVENTS) ids.push(...page.records.map(({ id }) => id))
    return page
  }
  await work()
  store.find = find
  return ids
}

/** Asserts that independent libraries accept all signatures of a request. */
export async function assertSigned({ headers, body }: Received, secret: string): Promise<void> {
  const seconds = Number(headers['webhook-timestamp'])
  const library = new Webhook(secret)
  const own = library.sign(headers['webhook-id'] ?? '', new Date(seconds * 1000), body)
  assert.ok(headers['webhook-signature']?.split(' ').includes(own), 'no Standard Webhooks signature is valid')
  assert.ok(await verifyHub(secret, body, headers['x-hub-signature-256'] ?? ''), 'the hub signature is wrong')
}
