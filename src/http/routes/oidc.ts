import type { Lifecycle, Request } from '@hapi/hapi'
import { SignInFailure } from '../../accounts/oidc/sign-in-failure.ts'
import { callbackUrl, stateIn } from '../../accounts/oidc/single-sign-on.ts'
import type { App } from '../../app.ts'
import { publicUrl } from '../../config/account-settings.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../errors.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import { isLoopback, parseUrl } from '../../util/urls.ts'
import type { ApiRoute, RouteSource, ServerParts } from '../api-route.ts'
import { LoginCookies } from '../login-cookies.ts'
import { OidcCookies } from '../oidc-cookies.ts'
import { apiRoots } from '../paths.ts'
import { actorOf, clientOf, parametersOf, queryOf } from '../request.ts'
import { portOf } from '../token-cookie.ts'
import { MAX_ACCOUNT_BYTES, readOtp } from './auth.ts'

const NAME: ParameterObject = {
  name: 'name',
  in: 'path',
  description: 'Name of a provider, as in `GET /auth/methods`',
  required: true,
  schema: TEXT,
}

const inQuery = (name: string, description: string): ParameterObject => ({ name, in: 'query', description, schema: TEXT })

/** Schema of an identity. Lower case, so that no model's schema has the same name. */
export const IDENTITY_SCHEMAS: Readonly<Record<string, Schema>> = {
  identity: {
    ...object({
      id: { type: 'integer', minimum: 1 },
      provider: { ...nullable(TEXT), description: 'Name of the provider; null if the settings do not have it any more' },
      title: TEXT,
      subject: { ...TEXT, description: 'How the provider names the user' },
      email: nullable(TEXT),
      created_at: MOMENT,
    }),
    description: 'An identity at a provider, by which the user logs in',
  },
}

const PAGE =
  'Browsers come here by a link, and go on to the admin page: to `sign-in#oidc` if it is to post `/auth/oidc/finish`, or with `#oidc-error=` and ' +
  '`cancelled`, `expired`, `refused` or `unavailable`.'

/** Single sign-on by OpenID Connect, and the identities of the own account. */
export function oidcRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', maxBodyBytes: MAX_ACCOUNT_BYTES } as const
  const own = { ...common, access: 'token' } as const
  const identity = ref('identity')
  const redirect = (description: string) => ({ 302: responses.success(description, undefined, ['Location', 'Set-Cookie']) })
  const success = (description: string, members: Readonly<Record<string, Schema>>) => ({
    200: responses.success(description, jsonContent(object(members))),
  })
  return [
    {
      ...common,
      method: 'GET',
      path: `${auth}/oidc/{name}`,
      access: 'open',
      limit: 'address',
      operationId: 'beginSignIn',
      summary: 'Log in at a provider: OpenID Connect, the code flow with PKCE',
      description: `The flow is kept in a cookie of this browser for 10 minutes. ${PAGE}`,
      parameters: [NAME, inQuery('to', 'Where the admin page goes on: a path of its own, such as `/models/post`')],
      answers: redirect('To the provider, or to the page with an error'),
      failures: ['notFound'],
      handler: begin,
    },
    {
      ...common,
      method: 'GET',
      path: `${auth}/oidc/{name}/callback`,
      access: 'open',
      limit: 'address',
      operationId: 'endSignIn',
      summary: 'Where a provider sends users back to; begins no session',
      description: `The identity is kept in a cookie of this browser for 5 minutes. ${PAGE} Linking ends at \`account#identity-linked\`.`,
      parameters: [
        NAME,
        inQuery('code', 'As the provider adds it; so are the others, and further ones'),
        ...['state', 'iss', 'error', 'error_description'].map((name) => inQuery(name, 'As the provider adds it')),
      ],
      answers: redirect('To the page'),
      failures: ['notFound'],
      handler: arrive,
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/oidc/finish`,
      access: 'open',
      limit: 'login',
      operationId: 'finishSignIn',
      summary: 'Begin a session with the identity that a provider has proven',
      description:
        'Takes the identity from its cookie, and puts the refresh token into a cookie: only for pages of this server. With a second factor and no ' +
        '`otp` the answer is a 401 with `second_factor`, and the identity stays for another attempt.',
      requestBody: body(jsonContent(object({ otp: TEXT, refresh: { type: 'string', const: 'cookie' } }, ['refresh']))),
      answers: {
        200: responses.success(
          'A new session',
          jsonContent(
            object({
              access_token: TEXT,
              token_type: { type: 'string', const: 'bearer' },
              expires_in: { type: 'integer', description: 'How long the access token is good for, in seconds' },
              to: { ...TEXT, description: 'The path of the admin page that goes on' },
            }),
          ),
          ['Set-Cookie'],
        ),
      },
      failures: ['unauthenticated', 'forbidden', 'conflict', 'limited'],
      handler: finish,
    },
    {
      ...own,
      method: 'GET',
      path: `${auth}/identities`,
      operationId: 'listIdentities',
      summary: 'List the identities by which the own account logs in',
      description: 'Oldest first.',
      answers: success('The identities, and their total', { data: { type: 'array', items: identity }, total: COUNT_SCHEMA }),
      failures: ['forbidden'],
      handler:
        ({ identities }) =>
        (request) =>
          identities.list(actorOf(request)),
    },
    {
      ...own,
      method: 'POST',
      path: `${auth}/identities/{identity}`,
      operationId: 'linkIdentity',
      summary: 'Link an identity at a provider with the own account',
      description:
        'Needs a login within 10 minutes. The browser goes to the URL of the answer, and comes back to `account#identity-linked`.',
      parameters: [{ ...NAME, name: 'identity' }],
      requestBody: body(jsonContent(strictObject({}))),
      answers: {
        200: responses.success('Where the browser goes', jsonContent(object({ url: { ...TEXT, format: 'uri' } })), [
          'Set-Cookie',
        ]),
      },
      failures: ['forbidden', 'notFound'],
      handler: link,
    },
    {
      ...own,
      method: 'DELETE',
      path: `${auth}/identities/{identity}`,
      operationId: 'unlinkIdentity',
      summary: 'Remove an identity of the own account',
      description: 'Needs a login within 10 minutes. The last way in stays: a 409. An identity of another user is a 404.',
      parameters: [
        { name: 'identity', in: 'path', description: 'Its id', required: true, schema: { type: 'integer', minimum: 1 } },
      ],
      answers: success('The removed identity', { message: TEXT, data: identity }),
      failures: ['forbidden', 'notFound', 'conflict'],
      handler: unlink,
    },
  ]
}

/** Addresses of the server itself, which only the settings decide. */
function addresses(settings: Settings) {
  const { auth, page } = apiRoots(settings)
  return {
    callback: (request: Request, provider: string) => callbackUrl(settings, auth, provider, portOf(request, settings.port)),
    /**
     * The address of this API at the public address, for a browser that came to this machine by another name: cookies of `localhost` do not come back
     * to `127.0.0.1`. Undefined where the browser is right.
     */
    elsewhere: (request: Request) => {
      const own = publicUrl(settings, portOf(request, settings.port))
      const sent = parseUrl(`http://${request.info.host}`)
      if (settings.public_url !== undefined || own === undefined || sent === undefined) return undefined
      const isHere = isLoopback(sent.hostname.replace(/^\[|\]$/g, ''))
      return isHere && sent.hostname !== new URL(own).hostname ? own + auth : undefined
    },
    page: (request: Request, name: string, fragment: string) =>
      `${publicUrl(settings, portOf(request, settings.port))}${page}${name}#${fragment}`,
  }
}

const nameIn = ({ params }: Request): string => String(params.name)

function begin({ settings, singleSignOn }: App): Lifecycle.Method {
  const cookies = new OidcCookies(settings)
  const urls = addresses(settings)
  return async (request, h) => {
    const parameters = parametersOf(request)
    const to = parameters.one('to')
    parameters.throwIfFaulty()
    const name = nameIn(request)
    const other = urls.elsewhere(request)
    if (other !== undefined)
      return h.redirect(`${other}/oidc/${encodeURIComponent(name)}${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`)
    try {
      const flow = await singleSignOn.begin(name, { to, callback: urls.callback(request, name) })
      cookies.keepFlow(request, flow, (state, sealed) => singleSignOn.beginningOf(state, sealed))
      return h.redirect(flow.url)
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error
      return h.redirect(urls.page(request, 'sign-in', `oidc-error=${error.code}`))
    }
  }
}

function arrive({ settings, singleSignOn }: App, { random }: ServerParts): Lifecycle.Method {
  const cookies = new OidcCookies(settings)
  const urls = addresses(settings)
  return async (request, h) => {
    const query = queryOf(request)
    const name = nameIn(request)
    const { page, fragment, identity } = await singleSignOn.arrive(name, query, {
      callback: urls.callback(request, name),
      client: clientOf(request, settings.trusted_proxies, random),
      flowOf: (state) => cookies.flow(request, state),
    })
    const state = stateIn(query)
    if (state !== undefined && cookies.flow(request, state) !== undefined) cookies.dropFlow(request, state)
    if (identity !== undefined) cookies.keepIdentity(request, identity)
    return h.redirect(urls.page(request, page, fragment))
  }
}

function finish(app: App, { logins: told, random }: ServerParts): Lifecycle.Method {
  const { settings, singleSignOn } = app
  const cookies = new OidcCookies(settings)
  const loginCookies = new LoginCookies(app)
  return async (request, h) => {
    const otp = readOtp(request.payload)
    loginCookies.refresh.expectOwnPage(request)
    const client = clientOf(request, settings.trusted_proxies, random)
    try {
      const { grant, to } = await told.signIn(request, () => singleSignOn.finish(cookies.identity(request), { otp, client }))
      cookies.dropIdentity(request)
      return h.response({ ...loginCookies.set(request, grant), to }).header('Cache-Control', 'no-store')
    } catch (error) {
      if (!(error instanceof AppError) || error.members?.second_factor === undefined) cookies.dropIdentity(request)
      throw error
    }
  }
}

function link({ settings, singleSignOn }: App): Lifecycle.Method {
  const cookies = new OidcCookies(settings)
  const urls = addresses(settings)
  return async (request) => {
    const name = String(request.params.identity)
    const flow = await singleSignOn.beginLink(actorOf(request), name, urls.callback(request, name))
    cookies.keepFlow(request, flow, (state, sealed) => singleSignOn.beginningOf(state, sealed))
    return { url: flow.url }
  }
}

function unlink({ settings, identities }: App, { random }: ServerParts): Lifecycle.Method {
  return async (request) => {
    const client = clientOf(request, settings.trusted_proxies, random)
    const data = await identities.unlink(actorOf(request), readRecordId(String(request.params.identity)), client)
    return { message: 'Identity removed successfully', data }
  }
}
