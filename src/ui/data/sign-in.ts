import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { type Client, createClient } from '../../client/client.ts'
import { usePageSettings } from '../hooks.ts'
import type { PageSettings } from '../page-settings.ts'

/** A provider of single sign-on. */
interface SignInProvider {
  readonly name: string
  readonly title: string
}

/** The ways to log in. */
interface SignInMethods {
  readonly password: boolean
  readonly password_reset: boolean
  readonly providers: readonly SignInProvider[]
}

/** What is offered until the server has answered. */
const DEFAULT: SignInMethods = { password: true, password_reset: false, providers: [] }

/** A client that sends no token: a visitor has none, and the client of the page would first ask for the session of a cookie. */
const openClient = ({ base_path, admin_path, api_version }: PageSettings): Client =>
  createClient({ url: base_path, admin_path, api_version, retry: { times: 0 } })

/** A client for calls without a session. */
export const useOpenClient = (): Client => openClient(usePageSettings())

const methodsQuery = (settings: PageSettings) =>
  queryOptions({
    queryKey: ['sign-in-methods'],
    queryFn: async ({ signal }) => (await openClient(settings).request('/auth/methods', { signal })) as SignInMethods,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Reads the ways to log in before they are shown, so that nothing moves. Never fails. */
export const readMethods = (queries: QueryClient, settings: PageSettings): Promise<void> =>
  queries.prefetchQuery(methodsQuery(settings))

/** The query of the ways to log in, for what must say that it failed. */
export const useMethodsQuery = () => useQuery(methodsQuery(usePageSettings()))

/** The ways to log in. */
export const useMethods = (): SignInMethods => useMethodsQuery().data ?? DEFAULT

/** The address that begins a login at a provider. `to` is a path of the page, to return to */
export function useProviderAddress(): (provider: string, to: string) => string {
  const { base_path, api_version } = usePageSettings()
  return (provider, to) =>
    `${base_path}/api/${api_version}/auth/oidc/${encodeURIComponent(provider)}?to=${encodeURIComponent(to)}`
}
