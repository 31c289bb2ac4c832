import { MEMBERS_PATH } from '../data/project.ts'
import type { Ask, Target } from '../load/load.ts'

/** A backend that people use on PostgreSQL, and how it serves the members. */
export interface Peer {
  readonly name: string
  /** The folder with its packages and program, beside this file. */
  readonly folder: string
  /** Executed before it starts. */
  readonly prepare: readonly string[]
  /** Executed when it has started and its table exists: copies the members. */
  readonly fill: readonly string[]
  /** Arguments and environment of its program. */
  readonly start: (options: { readonly url: string; readonly users: number; readonly port: number }) => {
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
  /** The request that asks it for the same; undefined if it has none. */
  readonly translate: (work: Work) => Ask | undefined
  /** Ids and total in its answer to a read. */
  readonly found: (answer: unknown) => Found
}

/** The records that an answer has, and their number without pages. */
export interface Found {
  readonly ids: readonly number[]
  readonly total: number | undefined
}

/** A peer that runs. */
export interface RunningPeer extends Target {
  stop(): Promise<void>
}

/** What a request does, whichever server it is sent to. */
export type Work =
  | { readonly kind: 'read'; readonly id: number }
  | {
      readonly kind: 'list'
      readonly page: number
      readonly pageSize: number
      readonly filters: readonly Condition[]
      readonly order: 'newest first' | 'by id'
    }
  | { readonly kind: 'create'; readonly data: object }
  | { readonly kind: 'create many'; readonly records: readonly object[] }

/** A condition of a list. `operator` is one of ours; `is` without one. */
export interface Condition {
  readonly field: string
  readonly operator: string
  readonly value: string
}

/** What one of our requests does. */
export function workOf({ method, path, body }: Ask): Work {
  if (method !== 'GET') {
    const payload = JSON.parse(body ?? '') as { data: object; records: readonly object[] }
    return path.endsWith('/bulk') ? { kind: 'create many', records: payload.records } : { kind: 'create', data: payload.data }
  }
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  if (pathname !== MEMBERS_PATH) return { kind: 'read', id: Number(pathname.slice(MEMBERS_PATH.length + 1)) }
  return {
    kind: 'list',
    page: Number(searchParams.get('page') ?? 1),
    pageSize: Number(searchParams.get('page_size')),
    filters: searchParams.getAll('filters').map((text) => {
      const [, field = '', operator = 'is', value = ''] = /^(\w+?)(?:__(\w+))?=(.*)$/.exec(text) ?? []
      return { field, operator, value }
    }),
    order: searchParams.has('sort_by') ? 'newest first' : 'by id',
  }
}

/** A path with parameters, which are encoded. */
export const withParameters = (path: string, parameters: readonly (readonly [name: string, value: string | number])[]): string =>
  `${path}?${new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, String(value)]))}`
