import { type Client, createClient } from '../client/client.ts'
import type { LintReport } from '../client/types-site.ts'
import type { Settings } from '../config/settings.ts'
import { mcpServers } from './server.ts'
import type { McpPlace } from './tool.ts'

/** A message as it came in a request. */
interface Sent {
  readonly headers: Headers
  /** The JSON of the body. */
  readonly body: unknown
  /** Called with a fault of this program. */
  readonly onFault: (error: unknown) => void
}

/** The application in this process. */
interface OwnApplication {
  readonly settings: Settings
  /** Calls its API, under the rights of the caller. */
  readonly fetch: typeof fetch
}

/** The response to a message. */
interface Answered {
  readonly status: number
  readonly type: string | undefined
  readonly text: string
}

/**
 * Answers a message of the Model Context Protocol (streamable HTTP), without a session: each request is served by a server of its own.
 * Subscriptions are refused, since an answer is sent as a whole.
 */
export async function answerMessage(application: OwnApplication, { headers, body, onFault }: Sent): Promise<Answered> {
  const [{ createMcpHandler }, server] = await Promise.all([
    import('@modelcontextprotocol/server'),
    mcpServers({ place: new OwnPlace(application), onFault }),
  ])
  const handler = createMcpHandler(server, { maxSubscriptions: 0, keepAliveMs: 0 })
  try {
    // The host is not used; the server itself has checked where the request came from.
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await handler.fetch(request, { parsedBody: body })
    return { status: response.status, type: response.headers.get('content-type') ?? undefined, text: await response.text() }
  } finally {
    await handler.close()
  }
}

class OwnPlace implements McpPlace {
  readonly #client: Client

  constructor({ settings, fetch }: OwnApplication) {
    const { api_version, admin_path, base_path: url } = settings
    this.#client = createClient({ url, api_version, admin_path, fetch, retry: { times: 0, seconds: 0 } })
  }

  withClient: McpPlace['withClient'] = (_, work) => work(this.#client)

  lint(): Promise<LintReport> {
    return this.#client.lint()
  }
}
