import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Members = Readonly<Record<string, unknown>>

/** What a double does otherwise than a provider that is right. */
export interface Twist {
  /** Changes the metadata. */
  readonly metadata?: (metadata: Members) => Members
  /** Changes what the user comes back with. */
  readonly answer?: (answer: URLSearchParams) => void
  /** Changes the claims of the ID token; an undefined member is left out. */
  readonly claims?: (claims: Members) => Members
  /** Makes the ID token in another way. */
  readonly sign?: (claims: Members, double: ProviderDouble) => string
  /** Gives tokens for a code without a look at the verifier. */
  readonly isCareless?: boolean
  /** Answers a path in another way; true if it did. */
  readonly respond?: (path: string, response: ServerResponse) => boolean
  /** What it says about the user, beside the ID token. */
  readonly userInfo?: Members
}

/** A provider of identities on this machine, which may answer wrongly. */
export interface ProviderDouble extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Its key in the set of keys. */
  readonly key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  twist: Twist
  /** Paths that were asked for. */
  readonly asked: string[]
  /** Bodies of requests for tokens. */
  readonly tokenRequests: URLSearchParams[]
  /**
   * Logs a user in as a browser would that was sent to `url`.
   *
   * @param claims of the user
   * @returns the address that the browser is sent back to
   */
  authorize(url: string, claims?: Members): string
}

const CLIENT = { clientId: 'the admin page', clientSecret: 'a secret of two: sides/and+more' }
const KEY_ID = 'the key'

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A JSON Web Token by RS256. */
export function signed(claims: Members, key: KeyObject, header: Members = {}): string {
  const text = `${base64({ alg: 'RS256', typ: 'JWT', kid: KEY_ID, ...header })}.${base64(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`
}

/** A JSON Web Token by HS256. */
export function signedByHash(claims: Members, secret: string | Buffer): string {
  const text = `${base64({ alg: 'HS256', typ: 'JWT', kid: KEY_ID })}.${base64(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** A JSON Web Token without a signature. */
export const unsigned = (claims: Members): string => `${base64({ alg: 'none' })}.${base64(claims)}.`

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** A key that no provider has. */
export const strangeKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** Starts a provider on loopback. */
export async function startDouble(twist: Twist = {}): Promise<ProviderDouble> {
  const codes = new Map<string, { readonly request: URLSearchParams; readonly claims: Members }>()
  const tokens = new Map<string, Members>()
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const json = (response: ServerResponse, value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))

  const double: ProviderDouble = {
    issuer,
    ...CLIENT,
    key: keys,
    twist,
    asked: [],
    tokenRequests: [],
    authorize(url, claims = {}) {
      const { searchParams } = new URL(url)
      const code = randomBytes(16).toString('base64url')
      codes.set(code, { request: searchParams, claims: { sub: 'user-1', ...claims } })
      const answer = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: issuer })
      double.twist.answer?.(answer)
      return `${searchParams.get('redirect_uri')}?${answer}`
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    double.asked.push(path)
    let body = ''
    for await (const chunk of request) body += chunk
    if (double.twist.respond?.(path, response) === true) return
    if (path === '/.well-known/openid-configuration') json(response, metadata())
    else if (path === '/keys')
      json(response, { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] })
    else if (path === '/token') giveTokens(new URLSearchParams(body), response)
    else if (path === '/me') json(response, tokens.get(String(request.headers.authorization).slice('Bearer '.length)) ?? {})
    else json(response, {}, 404)
  }

  function metadata(): Members {
    const right = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      userinfo_endpoint: `${issuer}/me`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
    }
    return double.twist.metadata?.(right) ?? right
  }

  function giveTokens(request: URLSearchParams, response: ServerResponse): void {
    double.tokenRequests.push(request)
    const known = codes.get(request.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(request.get('code_verifier') ?? '')
      .digest('base64url')
    const { twist: present } = double
    const isRight = present.isCareless === true || challenge === known?.request.get('code_challenge')
    if (known === undefined || !isRight) {
      json(response, { error: 'invalid_grant' }, 400)
      return
    }
    if (present.isCareless !== true) codes.delete(request.get('code') ?? '')
    const now = Math.floor(Date.now() / 1000)
    const claims: Members = {
      ...{ iss: issuer, aud: CLIENT.clientId, iat: now, exp: now + 300, nonce: known.request.get('nonce') },
      ...known.claims,
    }
    const said = present.claims?.(claims) ?? claims
    const accessToken = randomBytes(16).toString('base64url')
    tokens.set(accessToken, { sub: said.sub, ...present.userInfo })
    const idToken = present.sign?.(said, double) ?? signed(said, keys.privateKey)
    json(response, { access_token: accessToken, token_type: 'Bearer', id_token: idToken })
  }

  return double
}
