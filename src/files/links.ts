import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type Actor, forbidden } from '../auth/permissions.ts'
import { AppError } from '../errors.ts'
import type { FileUrls } from '../model/file-urls.ts'
import type { Parameters } from '../query/parameters.ts'
import type { Clock } from '../util/clock.ts'
import { isObject, type JsonObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'

/** Maximum number of links of a request. */
export const MAX_SIGNED = 100
/** Validity of links, in seconds. */
export const LINK_SECONDS = { usual: 3600, max: 7 * 24 * 3600 } as const
/** The end of a link is at a multiple of this, so that the same link is given again and browsers keep what they have. In seconds. */
const STEP_SECONDS = 900

/** The query parameters of a signed link, beside those that it signs. */
export const LINK_PARAMETERS = ['expires', 'signer', 'signature'] as const

/** What a link is for. */
export interface LinkedFile {
  /** The path of the file, with the base path. */
  readonly path: string
  readonly thumbnail: string | undefined
}

interface LinkParts {
  /** The secret of the server. */
  readonly secret: string
  readonly urls: FileUrls
  readonly clock: Clock
  /** The present actor of an active user. @throws {AppError} UNAUTHENTICATED */
  readonly actorOf: (userId: number, keyId: number | undefined) => Promise<Actor>
}

/**
 * Links to files that need no token: a user signs them, and they are good for what this user may read when they are used. So they end with the
 * account, or with the API key that they were signed with, at the latest after seven days. A link is an HMAC over path, thumbnail, end and signer.
 */
export class FileLinks {
  /** Derived from the secret, so that nothing made here can be used to forge tokens. */
  readonly #key: Buffer
  readonly #urls: FileUrls
  readonly #clock: Clock
  readonly #actorOf: LinkParts['actorOf']

  constructor({ secret, urls, clock, actorOf }: LinkParts) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'admin-folder file links', 32))
    this.#urls = urls
    this.#clock = clock
    this.#actorOf = actorOf
  }

  /**
   * Signs addresses of files, in their order.
   *
   * @param body `{files: [address…], expires_in?: seconds}`; an address may have the parameters `thumbnail` and `download`
   * @throws {AppError} VALIDATION_FAILED; FORBIDDEN for an actor who is no user
   */
  sign(actor: Actor, body: unknown): string[] {
    if (actor.userId === undefined || actor.user === undefined) throw forbidden(actor)
    const { files, seconds } = readRequest(body)
    const signer = signerText(actor.userId, actor.user, actor.key?.id)
    const expires = STEP_SECONDS * Math.ceil((this.#clock() / 1000 + seconds) / STEP_SECONDS)
    const faults: string[] = []
    const links = files.map((address, index) => {
      const asked = this.#linkedFile(address)
      if (asked === undefined) {
        faults.push(`files[${index}] is not the address of a file, as records have it in 'url'`)
        return ''
      }
      const query = new URLSearchParams({ ...asked.query, expires: String(expires), signer })
      query.set('signature', this.#signature(asked, String(expires), signer))
      return `${asked.path}?${query}`
    })
    if (faults.length > 0) throw new AppError('VALIDATION_FAILED', { files: faults.slice(0, MAX_FAULTS) })
    return links
  }

  /**
   * The user who signed the link of a request, as of now. Every refusal is the same error.
   *
   * @param parameters the parameters `LINK_PARAMETERS` of the request
   * @throws {AppError} FORBIDDEN
   */
  async signerOf(file: LinkedFile, parameters: Pick<Parameters, 'one'>): Promise<Actor> {
    const [expires = '', signer = '', signature = ''] = LINK_PARAMETERS.map((name) => parameters.one(name))
    if (!isSame(signature, this.#signature(file, expires, signer)) || Number(expires) * 1000 <= this.#clock()) throw refused()
    const userId = Number.parseInt(signer, 10)
    const keyId = /^\d+k(\d+)-/.exec(signer)?.[1]
    const key = keyId === undefined ? undefined : Number(keyId)
    const actor = await this.#actorOf(userId, key).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'UNAUTHENTICATED' ? refused() : error
    })
    // Ids begin anew when data is replaced.
    if (actor.user === undefined || signerText(userId, actor.user, key) !== signer) throw refused()
    return actor
  }

  #linkedFile(address: string): (LinkedFile & { readonly query: Readonly<Record<string, string>> }) | undefined {
    const [path = '', query = '', ...rest] = address.split('?')
    if (rest.length > 0 || this.#urls.placeOf(path) === undefined) return undefined
    const sent = new URLSearchParams(query)
    const [thumbnail, download] = [sent.get('thumbnail') ?? undefined, sent.get('download') ?? undefined]
    const isKnown = [...sent.keys()].every((name) => PARAMETERS.includes(name)) && new Set(sent.keys()).size === sent.size
    if (!isKnown || (download !== undefined && !['true', 'false'].includes(download))) return undefined
    const named = { ...(thumbnail === undefined ? {} : { thumbnail }), ...(download === undefined ? {} : { download }) }
    return { path, thumbnail, query: named }
  }

  #signature({ path, thumbnail }: LinkedFile, expires: string, signer: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([path, thumbnail ?? null, expires, signer]))
      .digest('base64url')
  }
}

/** The parameters of an address that is signed. `download` is not signed, since it changes no byte. */
const PARAMETERS = ['thumbnail', 'download']

const MAX_FAULTS = 10

const MEMBERS = ['files', 'expires_in']

function readRequest(body: unknown): { readonly files: readonly string[]; readonly seconds: number } {
  const members: Readonly<Record<string, unknown>> = isObject(body) ? body : {}
  const { files, expires_in: seconds = LINK_SECONDS.usual } = members
  const faults: Record<string, string[]> = {}
  for (const name of Object.keys(members))
    if (!MEMBERS.includes(name)) faults[name] = [`Unknown member '${name}'${meantOrKnown(name, MEMBERS)}`]
  const areTexts =
    Array.isArray(files) && files.length > 0 && files.length <= MAX_SIGNED && files.every((each) => typeof each === 'string')
  if (!areTexts) faults.files = [`files must be an array of 1 to ${MAX_SIGNED} addresses of files`]
  if (!Number.isInteger(seconds) || Number(seconds) < 1 || Number(seconds) > LINK_SECONDS.max)
    faults.expires_in = [`expires_in must be a number of seconds from 1 to ${LINK_SECONDS.max}, which is 7 days`]
  if (!areTexts || Object.keys(faults).length > 0) throw new AppError('VALIDATION_FAILED', faults)
  return { files: files as readonly string[], seconds: Number(seconds) }
}

/** Names an account, and the API key that it signs with. The time of its creation tells it from another of the same id. */
const signerText = (id: number, { created_at: createdAt }: JsonObject, key: number | undefined): string =>
  `${id}${key === undefined ? '' : `k${key}`}-${createHash('sha256')
    .update(JSON.stringify([id, createdAt]))
    .digest('base64url')
    .slice(0, 8)}`

const refused = (): AppError => new AppError('FORBIDDEN', 'The link is not valid, or not any more; ask for another one')

/** Compares texts in constant time. */
const isSame = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
