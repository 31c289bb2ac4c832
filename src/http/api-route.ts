import type { ServerResponse } from 'node:http'
import type { Lifecycle, RouteOptions, ServerRoute } from '@hapi/hapi'
import type { App, Replacement } from '../app.ts'
import { ACTIONS, type Action, type Actor, ANONYMOUS, hasScope, refuseKeys, superusersOnly } from '../auth/permissions.ts'
import type { Endpoint } from '../code/parse-endpoints.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { Registry } from '../model/registry.ts'
import type { ModelSource } from '../openapi/document.ts'
import {
  OPEN,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type Paths,
  type RequestBody,
  type ResponseObject,
  TOKEN_OPTIONAL,
  withPatch,
} from '../openapi/operation.ts'
import { type FailureName, type LimitName, Responses } from '../openapi/responses.ts'
import type { ModelAction } from '../records/actions.ts'
import type { Random } from '../util/ids.ts'
import type { LoginLog } from './authentication.ts'
import type { ConnectionLimits } from './listener.ts'
import type { Monitoring } from './monitoring.ts'
import { type ApiRoots, apiRoots } from './paths.ts'
import type { RateLimits } from './rate-limits.ts'
import { actionNameOf, actorOf, modelKeyOf } from './request.ts'
import { isForm } from './upload-body.ts'
import type { UploadGate } from './upload-gate.ts'

declare module '@hapi/hapi' {
  interface PluginSpecificConfiguration {
    /** The query parameters of a declared route. */
    queryNames?: readonly string[]
  }
}

/** The parts of a project that routes are declared from. */
export interface RouteSource {
  readonly settings: Settings
  readonly registry: Registry
  readonly endpoints: readonly Endpoint[]
  /** By name. */
  readonly jobs: ReadonlyMap<string, unknown>
  readonly roots: ApiRoots
  readonly responses: Responses
}

/**
 * Replaces the running application.
 *
 * @param asker the response of the request that asks for it, which is not waited for
 * @returns the new application
 * @throws {AppError} SERVER_NOT_READY during another replacement; the error that prevents opening the new application
 */
export type Replace = (next: Replacement, asker: ServerResponse) => Promise<App>

/** The parts of a server that handlers use beside the application. */
export interface ServerParts {
  readonly random: Random
  readonly limits: RateLimits
  readonly logins: LoginLog
  readonly monitoring: Monitoring
  readonly connections: ConnectionLimits
  readonly uploadGate: UploadGate
  readonly replace: Replace
  /** Returns the text of the OpenAPI document. */
  readonly document: () => string
}

/**
 * Access to a route. `superuser` and `token`: a request needs a token. An action: it needs permission for this action on the model of the path,
 * and no token where the project gives that permission to everyone. `action`: it needs the right to the project's action that the path names. `optional` and `open`: it needs no token; of these, `optional` tells in the
 * document that a token is taken.
 */
type RouteAccess = 'superuser' | 'token' | Action | 'action' | 'optional' | 'open'

/**
 * What a request counts as: a request or an upload of its user, or of its address without a token; a download, which the handler counts; a login or a request of its
 * address; or nothing.
 */
type RouteLimit = 'user' | 'upload' | 'download' | 'login' | 'address' | 'none'

/** A route as the server has it. */
interface ServedRoute {
  /** PUT stands for PATCH as well. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the base path. */
  readonly path: string
  readonly access: RouteAccess
  /** Refuses actors, before the body is read. Only with `token`. */
  readonly admits?: (actor: Actor) => void
  /**
   * Which API keys the route takes, of routes with the access `token`: `scoped` all, since what it does is limited to their scopes; `read` and `write`
   * those with this scope. None by default, so that keys manage no accounts.
   */
  readonly keys?: 'scoped' | 'read' | 'write'
  /** Admits users who have to set up a second factor first. */
  readonly enrolling?: boolean
  /** `user` by default, or `none` without a token. */
  readonly limit?: RouteLimit
  /** Maximum size of a body in bytes, where it is less than `max_upload_bytes`. */
  readonly maxBodyBytes?: number
  /** The body is a file of one of these media types, or of any (`ANY_TYPE`). */
  readonly takesFile?: readonly string[]
  /** The handler reads the body as a stream: whatever its media type, or forms only. */
  readonly takesUpload?: boolean | 'forms'
  /** Pages of other origins cannot send requests, whatever the setting `cors` says. */
  readonly sameOrigin?: boolean
  readonly isStream?: boolean
  readonly handler: (app: App, parts: ServerParts) => Lifecycle.Method
}

/** A route as the OpenAPI document describes it. */
export interface Description extends Pick<OperationObject, 'operationId' | 'summary' | 'description' | 'security'> {
  readonly tag: string
  /** A query parameter that is not among them is refused. */
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: RequestBody
  /** Successful responses, by status. */
  readonly answers: Readonly<Record<number, ResponseObject>>
  /** Failures beyond `badRequest` or `badWrite`, and those of the access. */
  readonly failures?: readonly FailureName[]
}

/** A route of the API. The server registers it, and the OpenAPI document describes it. */
export type ApiRoute = ServedRoute & Description

/** A route of every model. The server has it once, with `{model}` in its path; the OpenAPI document has it once for each model. */
export interface ModelRoute extends ServedRoute {
  readonly describe: (source: ModelSource) => Description
}

/** An action with all that the description of its operations depends on. */
export interface ActionSource extends ModelSource {
  readonly action: ModelAction
}

/** A route of every action, with `{model}` and `{action}` in its path. The OpenAPI document has it once for each action that has it. */
export interface ActionRoute extends ServedRoute {
  readonly describeAction: (source: ActionSource) => Description | undefined
}

type AnyRoute = ApiRoute | ModelRoute | ActionRoute

export type DeclareRoutes = (source: RouteSource) => readonly AnyRoute[]

const isOfModels = (route: AnyRoute): route is ModelRoute => 'describe' in route
const isOfActions = (route: AnyRoute): route is ActionRoute => 'describeAction' in route
const isOfApi = (route: AnyRoute): route is ApiRoute => !isOfModels(route) && !isOfActions(route)

/** Media types of bodies that are no files. */
const allowedTypes = (route: AnyRoute): Pick<RouteOptions, 'payload'> =>
  !isOfApi(route) || route.requestBody === undefined ? {} : { payload: { allow: Object.keys(route.requestBody.content) } }

const needsToken = ({ access }: ServedRoute): boolean => access !== 'optional' && access !== 'open'

const limitOf = (route: ServedRoute): RouteLimit => route.limit ?? (needsToken(route) ? 'user' : 'none')

export const routeSource = ({
  settings,
  registry,
  endpoints,
  jobs,
}: Pick<RouteSource, 'settings' | 'registry' | 'endpoints' | 'jobs'>): RouteSource => ({
  settings,
  registry,
  endpoints,
  jobs,
  roots: apiRoots(settings),
  responses: new Responses(settings),
})

/** The declared routes as hapi takes them. */
export const serverRoutes = (declare: DeclareRoutes, source: RouteSource, app: App, parts: ServerParts): ServerRoute[] =>
  declare(source).map((route) => serverRoute(route, app, parts))

function serverRoute(route: AnyRoute, app: App, parts: ServerParts): ServerRoute {
  const { method, path, maxBodyBytes, takesFile, takesUpload, sameOrigin = false, isStream = false, enrolling = false } = route
  const limit = limitOf(route)
  // The handlers of models parse the query, since its names depend on the model.
  const queryNames = isOfApi(route) ? queryNamesOf(route) : undefined
  const plugins = {
    ...{ isStream, readsQuery: queryNames === undefined || queryNames.length > 0 },
    ...(queryNames === undefined ? {} : { queryNames }),
    ...(limit === 'user' ? { limitsUsers: true } : limit === 'upload' ? { limitsUsers: limit } : {}),
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(enrolling ? { admitsEnrolling: true } : {}),
    ...(takesFile === undefined ? {} : { takesFile }),
    ...(takesUpload === undefined ? {} : { streamsBody: takesUpload }),
    ...admission(route, app),
  }
  const options = {
    ...{ auth: needsToken(route) ? 'bearer' : (false as const), plugins },
    ...(sameOrigin ? { cors: false as const } : {}),
    ...allowedTypes(route),
    ...counting(route, parts.limits),
  }
  return { method: method === 'PUT' ? ['PUT', 'PATCH'] : [method], path, handler: handlerOf(route, app, parts), options }
}

/** The handler of a route; those of uploads run a few at a time. */
function handlerOf({ takesUpload, handler }: ServedRoute, app: App, parts: ServerParts): Lifecycle.Method {
  const method = handler(app, parts)
  if (takesUpload === undefined) return method
  return (request, h) =>
    takesUpload === 'forms' && !isForm(request)
      ? method.call(null, request, h)
      : parts.uploadGate.run(actorOf(request).userId, () => method.call(null, request, h))
}

const queryNamesOf = ({ parameters = [] }: ApiRoute): string[] =>
  parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)

/** Which requests the access lets through, before their body is read. */
function admission(route: ServedRoute, { records }: App): RouteOptions['plugins'] {
  if (route.access === 'superuser') return { admits: (request) => superusersOnly(actorOf(request)) }
  if (route.access === 'action')
    return { admits: (request) => void records.admitAction(actorOf(request), modelKeyOf(request), actionNameOf(request)) }
  const { admits } = route
  if (route.access === 'token') {
    return {
      admits: (request) => {
        const actor = actorOf(request)
        admitKey(route, actor)
        admits?.(actor)
      },
    }
  }
  const action = actionOf(route)
  if (action === undefined) return {}
  const admitsAnonymous = mayBeAnonymous(route)
  if (action === 'view') return { admitsAnonymous }
  return { admitsAnonymous, admits: (request) => records.admit(actorOf(request), action, modelKeyOf(request)) }
}

/** @throws {AppError} FORBIDDEN for a key that a route does not take */
function admitKey({ keys, method, path }: ServedRoute, actor: Actor): void {
  if (actor.key === undefined || keys === 'scoped') return
  if (keys === undefined) refuseKeys(actor, `send ${method} ${path}`)
  else if (!hasScope(actor.key, keys)) throw new AppError('FORBIDDEN', `The key needs the scope '${keys}' for ${path}`)
}

/** The action on the model of the path that a route needs permission for. */
const actionOf = ({ access }: ServedRoute): Action | undefined => ACTIONS.find((action) => action === access)

/** Uploads count by user, so they need a token. */
const mayBeAnonymous = (route: ServedRoute): boolean => actionOf(route) !== undefined && limitOf(route) === 'user'

/** Counts a request by address. A login with a token is counted after authentication, so that requests without one do not count. */
function counting(route: ServedRoute, limits: RateLimits): Pick<RouteOptions, 'ext'> {
  const limit = limitOf(route)
  if (limit === 'upload' && !needsToken(route)) return { ext: { onPreAuth: { method: limits.countUpload } } }
  if (limit === 'address') return { ext: { onPreAuth: { method: limits.countUnauthenticated } } }
  if (limit !== 'login') return {}
  return { ext: { [needsToken(route) ? 'onPostAuth' : 'onPreAuth']: { method: limits.countLogin } } }
}

/** The declared routes as the OpenAPI document describes them. Those of models follow the others, model by model. */
export function describedPaths(declared: readonly DeclareRoutes[], source: RouteSource, models: readonly ModelSource[]): Paths {
  const paths: Record<string, PathItem> = {}
  const add = (route: ServedRoute, description: Description, path: string, model?: ModelSource): void => {
    const operation = operationOf(route, description, source.responses, model)
    const operations = route.method === 'PUT' ? withPatch(operation) : { [route.method.toLowerCase()]: operation }
    const relative = path.slice(source.settings.base_path.length)
    paths[relative] = { ...paths[relative], ...operations }
  }
  for (const declare of declared) {
    const routes = declare(source)
    for (const route of routes) if (isOfApi(route)) add(route, route, route.path)
    const [ofModels, ofActions] = [routes.filter(isOfModels), routes.filter(isOfActions)]
    for (const each of models) {
      for (const route of ofModels) add(route, route.describe(each), route.path.replace('{model}', each.model.key), each)
      for (const [route, action] of ofActions.flatMap((route) => each.actions.map((action) => [route, action] as const))) {
        const description = route.describeAction({ ...each, action })
        const path = route.path.replace('{model}', each.model.key).replace('{action}', action.name)
        if (description !== undefined) add(route, description, path, each)
      }
    }
  }
  return paths
}

/** The limit of the settings that a route counts towards. */
const LIMIT_NAMES: Readonly<Record<RouteLimit, LimitName>> = {
  user: 'default',
  upload: 'upload',
  download: 'download',
  login: 'auth',
  address: 'default',
  none: 'none',
}

function operationOf(route: ServedRoute, description: Description, responses: Responses, model?: ModelSource): OperationObject {
  const { operationId, summary, description: text, tag, parameters, requestBody, answers, failures = [] } = description
  const refusals: readonly FailureName[] = [
    route.method === 'GET' ? 'badRequest' : 'badWrite',
    ...(needsToken(route) ? (['unauthenticated'] as const) : []),
    ...(needsToken(route) && (route.access !== 'token' || route.keys !== 'scoped') ? (['forbidden'] as const) : []),
  ]
  const security = description.security ?? securityOf(route, model)
  return {
    ...{ operationId, summary, description: text, tags: [tag] },
    ...(security === undefined ? {} : { security }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...answers, ...responses.failures(LIMIT_NAMES[limitOf(route)], ...refusals, ...failures) },
  }
}

/** Undefined for the security of the document: a token. */
function securityOf(route: ServedRoute, source: ModelSource | undefined): OperationObject['security'] {
  if (route.access === 'open') return OPEN
  if (route.access === 'optional') return TOKEN_OPTIONAL
  const action = actionOf(route)
  if (action === undefined || source === undefined || !mayBeAnonymous(route)) return undefined
  return source.access.may(ANONYMOUS, action, source.model) ? TOKEN_OPTIONAL : undefined
}
