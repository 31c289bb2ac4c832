import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { Live } from './data/live.ts'
import type { PageSession } from './data/page-session.ts'
import { followAhead } from './data/use-live.ts'
import { Frame } from './layout/frame.tsx'
import { FrameFailure, PageFailure } from './layout/page-failure.tsx'
import { readAhead } from './list/read-ahead.ts'
import { LoadFailure } from './load-failure.ts'
import { NotFound } from './pages/not-found.tsx'
import { firstContents, whenIdle } from './parts/lazy-part.ts'
import { parseSearch, type SearchParams, stringifySearch } from './search-params.ts'

/** What loaders of routes need. */
interface RouterContext {
  readonly session: PageSession
  readonly queries: QueryClient
  readonly live: Live
}

/** A page whose code is loaded when it opens. The router loads it again when one that could not be loaded is tried again. */
const page = <Module extends Record<string, unknown>, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw new LoadFailure(error)
      }),
    name,
  )

/** A page that is mostly opened from a list, and therefore loaded after the first contents. */
function soon<Page extends { preload?: () => Promise<void> | undefined }>(page: Page): Page {
  // A failure shows when the page opens.
  void firstContents.then(() => whenIdle(() => void page.preload?.()?.catch(() => {})))
  return page
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Frame,
  notFoundComponent: NotFound,
  errorComponent: FrameFailure,
  validateSearch: (search): SearchParams => search as SearchParams,
  loader: ({ context, cause }) => {
    if (cause === 'enter') void followAhead(context)
  },
})

const parent = () => root

const dashboard = createRoute({
  getParentRoute: parent,
  path: '/',
  component: page(() => import('./pages/dashboard.tsx'), 'Dashboard'),
})

const model = createRoute({
  getParentRoute: parent,
  path: '/models/$model',
  loader: ({ context: { session, queries }, params, cause }) => {
    if (cause !== 'stay') void readAhead({ session, queries, model: params.model })
  },
})

const list = createRoute({
  getParentRoute: () => model,
  path: '/',
  component: page(() => import('./pages/list.tsx'), 'ListPage'),
  loader: ({ context: { session, queries }, params, location, cause }) => {
    if (cause !== 'stay') void readAhead({ session, queries, model: params.model, list: location.search as SearchParams })
  },
})

const create = createRoute({
  getParentRoute: () => model,
  path: '/new',
  component: soon(page(() => import('./pages/create.tsx'), 'CreatePage')),
})

const importing = createRoute({
  getParentRoute: () => model,
  path: '/import',
  component: page(() => import('./pages/import.tsx'), 'ImportPage'),
})

const record = createRoute({
  getParentRoute: () => model,
  path: '/$id',
  component: soon(page(() => import('./pages/record.tsx'), 'RecordPage')),
})

const history = createRoute({
  getParentRoute: parent,
  path: '/history',
  component: page(() => import('./pages/history.tsx'), 'HistoryPage'),
})

const webhooks = createRoute({
  getParentRoute: parent,
  path: '/webhooks',
  component: page(() => import('./pages/webhooks.tsx'), 'WebhooksPage'),
})

const webhook = createRoute({
  getParentRoute: parent,
  path: '/webhooks/$id',
  component: page(() => import('./pages/webhook.tsx'), 'WebhookPage'),
})

const account = createRoute({
  getParentRoute: parent,
  path: '/account',
  component: page(() => import('./pages/account.tsx'), 'AccountPage'),
})

const tools = createRoute({
  getParentRoute: parent,
  path: '/tools',
  component: page(() => import('./pages/tools.tsx'), 'ToolsPage'),
})

const routeTree = root.addChildren([
  dashboard,
  model.addChildren([list, create, importing, record]),
  history,
  webhooks,
  webhook,
  account,
  tools,
])

/** Creates the router of the page. @param basePath path of the page on the server, without a slash at the end */
export const createPageRouter = ({ basePath, ...context }: RouterContext & { readonly basePath: string }) =>
  createRouter({
    routeTree,
    basepath: basePath,
    context,
    parseSearch,
    stringifySearch: (search) => stringifySearch(search as SearchParams),
    defaultPreload: false,
    // A page that fails leaves the menu usable.
    defaultErrorComponent: PageFailure,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof createPageRouter>
  }
}
