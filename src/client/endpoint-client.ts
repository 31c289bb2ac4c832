import type { QueryEntries } from './query.ts'
import { queryText } from './query.ts'
import type { ApiRequest } from './transport.ts'
import type { CallOptions } from './types-calls.ts'

/** What an endpoint takes and returns. */
export interface EndpointTypes {
  readonly input: object
  readonly output: unknown
}

type EndpointMethod = ApiRequest['method']

/** The endpoints of a project without generated types. */
export type AnyEndpoints = {
  readonly [name in `${EndpointMethod} /${string}`]: {
    readonly input: Readonly<Record<string, unknown>>
    readonly output: unknown
  }
}

/** The types of endpoints by method and path, such as `All_Endpoints`, which `admin types` generates. */
export type TypedEndpoints<Endpoints> = { readonly [K in keyof Endpoints]: EndpointTypes }

type PathIn<Name, Method extends EndpointMethod> = Name extends `${Method} ${infer Path}` ? Path : never

/** The paths of the endpoints with a method. */
export type EndpointPath<Endpoints, Method extends EndpointMethod> = PathIn<keyof Endpoints, Method>

type TypesAt<Endpoints, Method extends EndpointMethod, Path extends string> = Extract<
  Endpoints[`${Method} ${Path}` & keyof Endpoints],
  EndpointTypes
>

/** Input and options; without an input where none is mandatory. */
type Arguments<Types extends EndpointTypes> =
  Readonly<Record<string, never>> extends Types['input']
    ? [input?: Types['input'], options?: CallOptions]
    : [input: Types['input'], options?: CallOptions]

type Answer<Endpoints, Method extends EndpointMethod, Path extends string> = Promise<TypesAt<Endpoints, Method, Path>['output']>

/**
 * Calls the endpoints of a project: `client.ext.get('/orders/{id}', { id: 12 })`. The input has the parameters of the path, too. Each method
 * returns the JSON that the endpoint returns, or undefined if it returns nothing.
 */
export class EndpointClient<Endpoints> {
  readonly #root: string
  readonly #send: (request: ApiRequest) => Promise<Response>
  readonly #read: (response: Response, signal?: AbortSignal) => Promise<unknown>

  /** @param root path of the endpoints: `/api/v1/ext` */
  constructor(
    root: string,
    send: (request: ApiRequest) => Promise<Response>,
    read: (response: Response, signal?: AbortSignal) => Promise<unknown>,
  ) {
    this.#root = root
    this.#send = send
    this.#read = read
  }

  get<Path extends EndpointPath<Endpoints, 'GET'>>(
    path: Path,
    ...given: Arguments<TypesAt<Endpoints, 'GET', Path>>
  ): Answer<Endpoints, 'GET', Path> {
    return this.#call('GET', path, given)
  }

  post<Path extends EndpointPath<Endpoints, 'POST'>>(
    path: Path,
    ...given: Arguments<TypesAt<Endpoints, 'POST', Path>>
  ): Answer<Endpoints, 'POST', Path> {
    return this.#call('POST', path, given)
  }

  put<Path extends EndpointPath<Endpoints, 'PUT'>>(
    path: Path,
    ...given: Arguments<TypesAt<Endpoints, 'PUT', Path>>
  ): Answer<Endpoints, 'PUT', Path> {
    return this.#call('PUT', path, given)
  }

  delete<Path extends EndpointPath<Endpoints, 'DELETE'>>(
    path: Path,
    ...given: Arguments<TypesAt<Endpoints, 'DELETE', Path>>
  ): Answer<Endpoints, 'DELETE', Path> {
    return this.#call('DELETE', path, given)
  }

  async #call(method: EndpointMethod, path: string, given: readonly [input?: object, options?: CallOptions]): Promise<unknown> {
    const [input = {}, { signal } = {}] = given
    const rest = new Map<string, unknown>(Object.entries(input))
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest.get(name)
      if (value === undefined || value === null) throw new TypeError(`The path ${path} needs '${name}' in the input`)
      rest.delete(name)
      return encodeURIComponent(String(value))
    })
    const isQuery = method === 'GET' || method === 'DELETE'
    const query = isQuery ? queryText(entriesOf(rest)) : ''
    const body = isQuery || rest.size === 0 ? undefined : Object.fromEntries(rest)
    const response = await this.#send({ method, path: this.#root + filled + query, body, signal })
    return response.status === 204 ? undefined : this.#read(response, signal)
  }
}

/** Lists are repeated; what has no value is left out. */
const entriesOf = (values: ReadonlyMap<string, unknown>): QueryEntries =>
  [...values].flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined || each === null ? [] : [[name, String(each)] as const])),
  )
