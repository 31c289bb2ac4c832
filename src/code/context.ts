import type { Actor } from '../auth/permissions.ts'
import { SHELL } from '../auth/permissions.ts'
import { createClient } from '../client/client.ts'
import type { Log } from '../log/log.ts'
import type { WriteContext } from '../records/hooks.ts'
import type { Clock } from '../util/clock.ts'
import type { Context, EnqueueOptions, Person, Reach, Services, Tx, Via } from './define.ts'

/** On whose behalf code runs, and why. */
export interface Caller {
  readonly actor: Actor
  /** How the write was made that the code belongs to; of its own writes, what makes them. */
  readonly via: Via
  readonly requestId: string | undefined
  /** What caused the write, by code, the first cause first. */
  readonly chain: readonly string[]
  /** True for a command whose writes call no code of the project. */
  readonly withoutCode?: boolean
}

/** On whose behalf the code of a write runs. */
export function callerOf({ actor, options }: Pick<WriteContext, 'actor' | 'options'>): Caller {
  const { via, requestId, chain = [] } = options?.origin ?? {}
  const isServer = actor.userId === undefined && actor.isSuperuser
  return { actor, via: (via ?? (isServer ? 'cli' : 'api')) as Via, requestId, chain }
}

/** Returns a `fetch` that calls the API of the application in this process, on behalf of a caller. */
export type Connect = (caller: Caller) => typeof fetch

/** Stores jobs and mails at once. */
export interface JobEnqueuer {
  enqueue(job: unknown, input: unknown, options: EnqueueOptions, caller: Caller): Promise<void>
  mail(message: unknown, caller: Caller): Promise<void>
}

/** What services are made of. */
export interface ServiceParts {
  readonly queue: JobEnqueuer
  /** Runs work whose writes are stored together. @param name of the code, for messages */
  readonly runTogether: (caller: Caller, name: string, work: (tx: Tx) => Promise<unknown>) => Promise<unknown>
  readonly clock: Clock
  readonly log: Log
  readonly connect: Connect
  /** The root of the API: `/api/v1`. */
  readonly apiRoot: string
}

/** A user as code sees one; null for the server, the shell, and requests without a token. */
export function personOf({ userId, user, isSuperuser, groups, permissions }: Actor): Person | null {
  if (userId === undefined) return null
  return {
    id: userId,
    username: String(user?.username ?? ''),
    is_superuser: isSuperuser,
    // A copy, so that a change of it gives no rights.
    groups: new Set(groups),
    can: (codename) => isSuperuser || permissions.has(codename),
  }
}

/** What all code gets, but for what its jobs and mails are stored with. */
export type OwnServices = Omit<Services, 'enqueue' | 'mail'>

/** @param name of the code, for the log: `hooks/order.ts beforeCreate` */
export function servicesOf(
  { clock, log }: Pick<ServiceParts, 'clock' | 'log'>,
  { actor, via, requestId }: Caller,
  name: string,
  limit: { readonly signal: AbortSignal },
): OwnServices {
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (text: string, data: object = {}): void =>
      log[level](text, { ...data, code: name, request_id: requestId })
  return {
    actor: personOf(actor),
    via,
    request_id: requestId,
    get signal() {
      return limit.signal
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    now: () => new Date(clock()),
  }
}

/** The records of the models, by calls of the API in this process. */
export function reachOf({ connect, apiRoot }: Pick<ServiceParts, 'connect' | 'apiRoot'>, caller: Caller): Reach {
  const [, url = '', api_version = ''] = /^(.*)\/api\/([^/]+)$/.exec(apiRoot) ?? []
  const client = createClient({ url, api_version, fetch: connect(caller), retry: { times: 0, seconds: 0 } })
  // The client knows no model of a project, as long as `admin types` has not made them known.
  return { model: (key) => client.model(key) } as Reach
}

/** Refuses what code asks for once its time is over: calls of the API, jobs, transactions, also one that is under way. */
const until = (over: AbortSignal, parts: ServiceParts): ServiceParts => ({
  ...parts,
  connect(caller) {
    const call = parts.connect(caller)
    return async (...request) => {
      over.throwIfAborted()
      return call(...request)
    }
  },
  queue: {
    async enqueue(...job) {
      over.throwIfAborted()
      return parts.queue.enqueue(...job)
    },
    async mail(...mail) {
      over.throwIfAborted()
      return parts.queue.mail(...mail)
    },
  },
  async runTogether(caller, name, work) {
    over.throwIfAborted()
    return parts.runTogether(caller, name, async (tx) => {
      const returned = await work(tx)
      over.throwIfAborted()
      return returned
    })
  },
})

/**
 * What code gets that runs outside of a transaction.
 *
 * @param code its name, for the log and for the chain of causes, and what its writes are made by
 * @param over aborted when the code may do nothing more; default: `signal`
 */
export function contextOf(
  unlimited: ServiceParts,
  caller: Caller,
  code: { readonly name: string; readonly via: Via },
  signal: AbortSignal,
  over = signal,
): Context {
  const parts = until(over, unlimited)
  const own = { ...caller, via: code.via, chain: [...caller.chain, code.name] }
  const { model } = reachOf(parts, own)
  return {
    ...servicesOf(parts, caller, code.name, { signal }),
    enqueue: (job, input, options = {}) => parts.queue.enqueue(job, input, options, own),
    mail: (message) => parts.queue.mail(message, own),
    transaction: async <T>(work: (tx: Tx) => Promise<T>) => {
      const { via } = code
      // The work has returned it.
      return (await parts.runTogether({ ...caller, via }, code.name, work)) as T
    },
    model,
    system: reachOf(parts, { ...own, actor: SHELL }),
  }
}
