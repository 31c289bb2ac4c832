import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Io } from '../../../src/cli/io.ts'
import { main } from '../../../src/cli/main.ts'
import { MAX_ANSWER_LENGTH } from '../../../src/mcp/answer.ts'
import type { TestApp } from '../api/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: a parse boundary; each test knows what it asked for
type Json = any

/** An agent: the protocol's own client, connected with the tools. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  /** Calls a tool, which must answer; returns the structured content. */
  call(name: string, args?: object): Promise<Json>
  /** Calls a tool, which must answer an error; returns its text. */
  refusal(name: string, args?: object): Promise<string>
}

/** Connects an agent. @param ended called when it is closed */
export async function connectAgent(transport: Transport, ended: () => Promise<unknown> = async () => {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const result = async (name: string, args: object) => {
    const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: { ...args } })
    const [first] = content
    assert.ok(content.length === 1 && first?.type === 'text', `${name} answers one text`)
    assert.ok(first.text.length <= MAX_ANSWER_LENGTH, `${name} answers ${first.text.length} characters`)
    const { length } = JSON.stringify(structuredContent ?? {})
    assert.ok(length <= MAX_ANSWER_LENGTH, `${name} answers JSON of ${length} characters`)
    return { isError, text: first.text, structuredContent }
  }
  return {
    client,
    async call(name, args = {}) {
      const { isError, text, structuredContent } = await result(name, args)
      assert.equal(isError, false, `${name}: ${text}`)
      if (name !== 'explain_rule') assert.deepEqual(JSON.parse(text), structuredContent)
      return structuredContent
    },
    async refusal(name, args = {}) {
      const { isError, text } = await result(name, args)
      assert.equal(isError, true, `${name} answers ${text.slice(0, 300)}`)
      return text
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await ended()
    },
  }
}

/** An agent that calls `POST {base}/mcp` of an application with the token of a user. */
export const agentOf = async (app: TestApp, username = 'admin'): Promise<Agent> => agentBy(app, await app.tokenOf(username))

/** An agent that calls `POST {base}/mcp` of an application. @param credential a token or an API key */
export function agentBy(app: TestApp, credential: string): Promise<Agent> {
  const authorization = `Bearer ${credential}`
  const inject: typeof fetch = async (url, { method = 'GET', headers, body } = {}) => {
    const reply = await app.server.inject({
      ...{ method, url: new URL(String(url)).pathname, headers: Object.fromEntries(new Headers(headers)) },
      ...(typeof body === 'string' ? { payload: body } : {}),
    })
    const { statusCode: status } = reply
    const sent = new Headers()
    for (const [name, value] of Object.entries(reply.headers)) if (value !== undefined) sent.set(name, String(value))
    return new Response(status === 204 ? null : reply.payload, { status, headers: sent })
  }
  const address = new URL(`http://localhost${app.app.settings.base_path}/mcp`)
  return connectAgent(new StreamableHTTPClientTransport(address, { fetch: inject, requestInit: { headers: { authorization } } }))
}

/** An agent that has started `admin mcp`, in this process. */
export async function agentWith(
  argv: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Io['env'] },
): Promise<Agent & { readonly stderr: () => string }> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  let stderr = ''
  const write = (text: string) => {
    stderr += text
  }
  const io: Io = {
    ...{ stdin, env, cwd },
    stdout: { write: (text) => stdout.write(text) },
    stderr: { write },
    openBrowser: async () => {},
    stopRequested: () => new Promise(() => {}),
    takeFaults: () => () => {},
    interruptibly: (work) => work(new AbortController().signal),
  }
  const ended = main(['mcp', ...argv], io).then((code) => {
    // A command that could not start answers nothing.
    stdout.end()
    return code
  })
  // What a server uses to speak by lines serves a client as well.
  const agent = await connectAgent(new StdioServerTransport(stdout, stdin), async () => {
    stdin.end()
    assert.equal(await ended, 0, stderr)
  })
  return { ...agent, stderr: () => stderr }
}
