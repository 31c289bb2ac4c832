import type { Request } from '@hapi/hapi'
import { AppError } from '../../errors.ts'
import { body, jsonContent } from '../../openapi/operation.ts'
import type { Schema } from '../../openapi/schema.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { actorOf, requestIdOf } from '../request.ts'

const MESSAGE: Schema = { type: 'object', additionalProperties: true, description: 'A message of JSON-RPC 2.0' }

/** The Model Context Protocol over HTTP, without sessions; no route unless the setting `mcp` is on. */
export function mcpRoutes({ settings, responses }: RouteSource): ApiRoute[] {
  if (!settings.mcp) return []
  return [
    {
      method: 'POST',
      path: `${settings.base_path}/mcp`,
      access: 'token',
      keys: 'scoped',
      // Agents send a token, and are no pages of a browser.
      sameOrigin: true,
      operationId: 'callAgentTools',
      summary: 'The tools of agents, by the Model Context Protocol',
      description:
        'Streamable HTTP without sessions: each request is a message of its own, under the rights of its token. A fault of the protocol is an error of JSON-RPC.',
      tag: 'operations',
      requestBody: body(jsonContent(MESSAGE)),
      answers: {
        200: responses.success('The answer to the message', {
          ...jsonContent(MESSAGE),
          'text/event-stream': { schema: { type: 'string' } },
        }),
        202: responses.success('The message needs no answer', undefined),
      },
      handler: answerAgents,
    },
  ]
}

const answerAgents: ApiRoute['handler'] =
  (app, { random }) =>
  async (request, h) => {
    // Each call counts towards the rate limit. The protocol has had batches in one version only.
    if (Array.isArray(request.payload))
      throw new AppError('INVALID_REQUEST', 'A batch of messages is not taken; send each in a request of its own')
    const { answerMessage } = await import('../../mcp/http.ts')
    const caller = { actor: actorOf(request), via: 'api' as const, requestId: requestIdOf(request, random), chain: [] }
    const server = { settings: app.settings, fetch: app.connect(caller) }
    const onFault = (error: unknown) => app.log.error('A tool of agents failed', { error, request_id: caller.requestId })
    const { status, type, text } = await answerMessage(server, { headers: headersOf(request), body: request.payload, onFault })
    const response = h.response(text).code(status).header('cache-control', 'no-store')
    return type === undefined ? response : response.type(type)
  }

const headersOf = ({ headers }: Request): Headers => {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers as Record<string, string | string[] | undefined>)) {
    // The tools know the actor already; a token goes no further.
    if (value !== undefined && name !== 'authorization' && name !== 'cookie') sent.set(name, [value].flat().join(', '))
  }
  return sent
}
