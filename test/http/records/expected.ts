import type { TestApp } from '../../helpers/api/app.ts'
import { play, type Scenario } from '../../helpers/api/scenario.ts'

/** Bodies and settings that many scenarios name, in the words of the contract. */
export const fieldErrors = (error: Readonly<Record<string, readonly string[]>>) => ({ detail: { error } })

export const generalError = (error: string) => ({ detail: { error } })

export const UNAUTHENTICATED = { error: 'Authentication required', status_code: 401, details: 'Valid token required' }

export const FORBIDDEN = {
  error: 'Insufficient permissions',
  status_code: 403,
  details: 'User does not have permission to access this resource',
}

export const modelNotFound = (key: string) => ({
  error: 'Model not found',
  status_code: 404,
  details: `Model '${key}' does not exist`,
})

export const recordNotFound = (model: string, id: number) => ({
  error: 'Record not found',
  status_code: 404,
  details: `${model} with ID ${id} does not exist`,
})

/** For tests that send more than a minute's worth of requests. */
export const UNLIMITED = { rate_limits: { default: 0, auth: 0, upload: 0 } } as const

export const ids = (json: { readonly data: readonly { readonly id: number }[] }): number[] => json.data.map(({ id }) => id)

type Call = Omit<Scenario, 'name' | 'given' | 'request'>

/** Plays a request and gives back what `data` it was answered with. */
// biome-ignore lint/suspicious/noExplicitAny: a parse boundary, as in Reply
export async function dataOf(app: TestApp, request: Scenario['request'], call: Partial<Call> = {}): Promise<any> {
  const reply = await play(app, { status: 200, ...call, request })
  return reply.json.data
}
