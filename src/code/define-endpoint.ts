import { markCallSite } from '../config/call-site.ts'
import type { ValuesOfFields } from '../model/define.ts'
import type { FieldDefinition } from '../model/definition.ts'
import type { Access, Context } from './define.ts'

/** The input of code, by the names of its fields. It has an `id` only if one of them is called so. */
export type InputOf<F extends readonly FieldDefinition[]> = ValuesOfFields<F>

/** A request to an endpoint. */
export interface EndpointCall<I> {
  /** The parameters of the path, as text. */
  readonly params: Readonly<Record<string, string>>
  readonly input: I
  /** The body as it was sent, with `body: 'raw'`; otherwise empty. */
  readonly raw: Buffer
  /** Headers by their names in lower case. `cookie` is left out, as is `authorization` unless the endpoint is public. */
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** An endpoint as written. */
export interface EndpointDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `{api}/ext`: `/orders/{id}/receipt`. */
  readonly path: `/${string}`
  readonly summary?: string
  /** Default: `authenticated`. */
  readonly access?: Access
  /** The limit of the setting `rate_limits` that requests count towards, by user, or by address if the endpoint is public. */
  readonly limit?: 'default' | 'auth' | 'upload'
  /** Fields that are read from the path, then from the query of a GET or DELETE or of raw bytes, otherwise from the JSON body. */
  readonly input?: readonly FieldDefinition[]
  readonly body?: 'json' | 'raw'
  /** The members of the JSON that it returns, for the OpenAPI document and the types of clients. */
  readonly output?: readonly FieldDefinition[]
  /** Returns what is sent as JSON, a `Response`, or nothing. */
  readonly run: (call: EndpointCall<never>, ctx: Context) => unknown
}

/**
 * Defines an endpoint below `{api}/ext`.
 *
 * @example export default defineEndpoint({ method: 'GET', path: '/stock', run: (call, ctx) => ctx.model('product').list() })
 */
export function defineEndpoint<
  const F extends readonly FieldDefinition[] = readonly [],
  const O extends readonly FieldDefinition[] = readonly FieldDefinition[],
>(
  endpoint: Omit<EndpointDefinition, 'input' | 'output' | 'run'> & {
    readonly input?: F
    readonly output?: O
    readonly run: (call: EndpointCall<InputOf<NoInfer<F>>>, ctx: Context) => unknown
  },
): EndpointDefinition {
  return markCallSite(endpoint as EndpointDefinition, defineEndpoint)
}
