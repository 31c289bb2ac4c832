import type { Lifecycle, Request, ServerRoute } from '@hapi/hapi'
import type { App } from '../app.ts'
import { superusersOnly } from '../auth/permissions.ts'
import type { Settings } from '../config/settings.ts'
import type { Registry } from '../model/registry.ts'
import type { Resource } from '../openapi/document.ts'
import {
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type ResponseObject,
  TOKEN_OPTIONAL,
  withPatch,
} from '../openapi/operation.ts'
import { type FailureName, Responses } from '../openapi/responses.ts'
import { type ApiRoots, apiRoots } from './paths.ts'
import { actorOf } from './request.ts'

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
  readonly roots: ApiRoots
  readonly responses: Responses
}

/** A route of the API. The server registers it, and the OpenAPI document describes it. */
export interface ApiRoute extends Pick<OperationObject, 'operationId' | 'summary' | 'description' | 'requestBody'> {
  /** PUT stands for PATCH as well. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With the base path. */
  readonly path: string
  readonly tag: string
  /** `token` and `superuser`: a request needs a token, and counts towards the limit of its user. */
  readonly access: 'superuser' | 'token' | 'optional'
  /** A query parameter that is not among them is refused. */
  readonly parameters?: readonly ParameterObject[]
  /** Successful responses, by status. */
  readonly answers: Readonly<Record<number, ResponseObject>>
  /** Failures beyond `badRequest` or `badWrite`, and those of the access. */
  readonly failures?: readonly FailureName[]
  readonly isStream?: boolean
  readonly handler: (app: App) => Lifecycle.Method
}

export type DeclareRoutes = (source: RouteSource) => readonly ApiRoute[]

const sourceOf = ({ settings, registry }: Pick<RouteSource, 'settings' | 'registry'>): RouteSource => ({
  settings,
  registry,
  roots: apiRoots(settings),
  responses: new Responses(settings),
})

/** The declared routes as hapi takes them. */
export const serverRoutes = (declare: DeclareRoutes, app: App): ServerRoute[] =>
  declare(sourceOf(app.project)).map(({ method, path, access, parameters = [], isStream = false, handler }) => {
    const queryNames = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    const needsToken = access !== 'optional'
    const plugins = {
      ...{ queryNames, readsQuery: queryNames.length > 0, isStream },
      ...(needsToken ? { limitsUsers: true } : {}),
      ...(access === 'superuser' ? { admits: (request: Request) => superusersOnly(actorOf(request)) } : {}),
    }
    const methods: ServerRoute['method'] = method === 'PUT' ? ['PUT', 'PATCH'] : [method]
    return { method: methods, path, handler: handler(app), options: { auth: needsToken ? 'bearer' : false, plugins } }
  })

/** The declared routes as the OpenAPI document describes them. */
export function describedRoutes(
  declare: DeclareRoutes,
  schemas: Resource['schemas'],
  project: Pick<RouteSource, 'settings' | 'registry'>,
): Resource {
  const source = sourceOf(project)
  const paths: Record<string, PathItem> = {}
  for (const route of declare(source)) {
    const path = route.path.slice(source.settings.base_path.length)
    const operation = operationOf(route, source.responses)
    const operations = route.method === 'PUT' ? withPatch(operation) : { [route.method.toLowerCase()]: operation }
    paths[path] = { ...paths[path], ...operations }
  }
  return { paths, schemas }
}

function operationOf(route: ApiRoute, responses: Responses): OperationObject {
  const { operationId, summary, description, tag, access, parameters, requestBody, answers, failures = [] } = route
  const needsToken = access !== 'optional'
  const refusals: readonly FailureName[] = [
    route.method === 'GET' ? 'badRequest' : 'badWrite',
    ...(needsToken ? (['unauthenticated'] as const) : []),
    ...(access === 'superuser' ? (['forbidden'] as const) : []),
  ]
  return {
    ...{ operationId, summary, description, tags: [tag] },
    ...(needsToken ? {} : { security: TOKEN_OPTIONAL }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...answers, ...responses.failures(needsToken ? 'default' : 'none', ...refusals, ...failures) },
  }
}
