import type { Settings } from '../../config/settings.ts'
import { oneName, ref, type Schema, strictObject, TEXT } from '../schemas/schema.ts'
import { access, READ_OPEN, type Roots, refusals } from './access.ts'
import { json, OPEN, type Paths, type Response, TOKEN_OPTIONAL } from './operation.ts'
import type { Responses } from './responses.ts'

const status = (...words: readonly string[]): Schema => strictObject({ status: oneName(words) })

/** Operations for monitoring, and the OpenAPI document itself. */
export function operationsPaths({ document }: Roots, settings: Settings, responses: Responses): Paths {
  const options = { tags: ['operations'], security: OPEN }
  const failures = responses.failures('none', ...READ_OPEN)
  const success = (description: string, content: Response['content']) => responses.success(description, content, 'none')
  const metrics: Paths = {
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus',
        ...options,
        security: TOKEN_OPTIONAL,
        responses: {
          200: success('The figures', { 'text/plain': { schema: TEXT } }),
          ...failures,
          ...(settings.metrics === 'open' ? {} : responses.failures('none', 'unauthenticated', 'forbidden')),
        },
      },
    },
  }
  return {
    '/healthz': {
      get: {
        operationId: 'getHealth',
        summary: 'Whether the process answers',
        ...options,
        responses: { 200: success('It does', json(status('ok'))), ...failures },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Whether requests should be sent here',
        ...options,
        responses: {
          200: success('They should', json(status('ready'))),
          ...failures,
          503: success('They should not', json({ anyOf: [status('readonly', 'stopping'), ref('error')] })),
        },
      },
    },
    ...(settings.metrics === 'off' ? {} : metrics),
    [document]: {
      get: {
        operationId: 'getDescription',
        summary: 'This document',
        tags: ['operations'],
        ...access(settings),
        responses: {
          200: success('The API in OpenAPI 3.1', json({ type: 'object', additionalProperties: true })),
          ...responses.failures('none', ...READ_OPEN, ...refusals(settings)),
        },
      },
    },
  }
}
