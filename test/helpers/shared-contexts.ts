import type { Browser, BrowserContext, Page } from 'playwright-core'

interface SharedContext {
  readonly context: BrowserContext
  /** Open as long as the context: its process holds the compiled scripts of the page. */
  readonly anchor: Page
}

/**
 * Contexts for one server that tests share one after the other, with and without touch. Their cache and the process of their pages stay warm,
 * which halves the time to open a page. A test starts without cookies, routes and permissions of the former one.
 */
export class SharedContexts {
  readonly #browser: Browser
  readonly #address: string
  readonly #contexts = new Map<boolean, Promise<SharedContext>>()

  /** @param address that of the server, to which the addresses of the tests are relative */
  constructor(browser: Browser, address: string) {
    this.#browser = browser
    this.#address = address
  }

  /** The context with or without touch. */
  async of(hasTouch: boolean): Promise<BrowserContext> {
    const known = this.#contexts.get(hasTouch) ?? this.#create(hasTouch)
    this.#contexts.set(hasTouch, known)
    return (await known).context
  }

  /** Removes what a test has left in its context. */
  async clear(context: BrowserContext): Promise<void> {
    const known = await Promise.all(this.#contexts.values())
    const anchors = known.map(({ anchor }) => anchor)
    await Promise.all(context.pages().map((page) => (anchors.includes(page) ? undefined : page.close())))
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
  }

  async close(): Promise<void> {
    const known = await Promise.all(this.#contexts.values())
    await Promise.all(known.map(({ context }) => context.close()))
  }

  async #create(hasTouch: boolean): Promise<SharedContext> {
    const options = { locale: 'en-GB', timezoneId: 'Europe/Berlin', baseURL: this.#address }
    const context = await this.#browser.newContext({ ...options, hasTouch })
    const anchor = await context.newPage()
    await anchor.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await anchor.goto('/')
    return { context, anchor }
  }
}
