import type { Settings } from '../config/settings.ts'
import { jsonContent, OPEN, type Paths, type ResponseObject, TOKEN_OPTIONAL } from './operation.ts'
import { access, type Responses, type Roots, refusals } from './responses.ts'
import { oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

const status = (...words: readonly string[]): Schema => strictObject({ status: oneName(words) })

/** Operations for monitoring, and the OpenAPI document itself. */
export function operationsPaths({ document }: Roots, settings: Settings, responses: Responses): Paths {
  const options = { tags: ['operations'], security: OPEN }
  const failures = responses.failures('none', 'badRequest')
  const success = (description: string, content: ResponseObject['content']) => responses.success(description, content)
  const metrics: Paths = {
    '/metrics': {
      get: {
        operationId: 'getMetrics',
        summary: 'Figures for Prometheus',
        description:
          'Numbers of records, requests and rejections, and durations, in the text format. For superusers and this machine, unless the setting `metrics` opens it.',
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
        description: 'Reads nothing, needs no token, and counts towards no limit.',
        ...options,
        responses: { 200: success('It does', jsonContent(status('ok'))), ...failures },
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        summary: 'Whether requests should be sent here',
        description: 'Asks the storage, needs no token, and counts towards no limit.',
        ...options,
        responses: {
          200: success('They should', jsonContent(status('ready'))),
          ...failures,
          503: success('They should not', jsonContent({ anyOf: [status('readonly', 'stopping'), ref('error')] })),
        },
      },
    },
    ...(settings.metrics === 'off' ? {} : metrics),
    [document]: {
      get: {
        operationId: 'getDescription',
        summary: 'This document',
        description: 'It follows from the models, forms and settings of the project.',
        tags: ['operations'],
        ...access(settings),
        responses: {
          200: success('The API in OpenAPI 3.1', jsonContent({ type: 'object', additionalProperties: true })),
          ...responses.failures('none', 'badRequest', ...refusals(settings)),
        },
      },
    },
  }
}
