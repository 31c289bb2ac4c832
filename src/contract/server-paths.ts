import type { Settings } from '../config/settings.ts'
import type { Registry } from '../model/registry.ts'
import { body, json, OPEN, type Paths, type Response, TOKEN_OPTIONAL } from './operation.ts'
import { schemaNames } from './record-schemas.ts'
import type { Failure, Responses } from './responses.ts'
import { object, oneName, ref, type Schema, strictObject, TEXT } from './schema.ts'

/** Where each part of the API begins, relative to the base path. */
export interface Roots {
  readonly models: string
  readonly auth: string
  readonly views: string
  readonly document: string
}

const AUTH_TAGS = ['auth']
const SIGNED_IN: readonly Failure[] = ['unauthenticated', 'notJson', 'unavailable', 'badRequest']
const BODY: readonly Failure[] = ['badWrite', 'unauthenticated', 'tooLarge', 'notJson', 'unavailable']

/** Logging in and out. */
export function authPaths({ auth }: Roots, registry: Registry, responses: Responses): Paths {
  const grant = object({
    access_token: TEXT,
    refresh_token: TEXT,
    token_type: { type: 'string', const: 'bearer' },
    expires_in: { type: 'integer', description: 'How long the access token is good for, in seconds' },
  })
  const granted = (description: string) => responses.success(description, json(grant), 'auth')
  const failures = responses.failures('auth', ...BODY)
  const grantType = (value: string): Schema => ({ type: 'string', const: value })
  const login = object({ username: TEXT, password: TEXT, grant_type: grantType('password') }, ['username', 'password'])
  const renewal = object({ refresh_token: TEXT, grant_type: grantType('refresh_token') }, ['refresh_token'])
  const user = ref(schemaNames(registry.expect('user')).record)
  const me = object({ data: user, permissions: { type: 'array', items: TEXT } })
  return {
    [`${auth}/token`]: {
      post: {
        operationId: 'login',
        summary: 'Log in: the OAuth 2 password grant',
        tags: AUTH_TAGS,
        security: OPEN,
        requestBody: body(jsonOrForm(login)),
        responses: { 200: granted('A new session'), ...failures },
      },
    },
    [`${auth}/refresh`]: {
      post: {
        operationId: 'refreshTokens',
        summary: 'Change a refresh token for a new pair of tokens',
        tags: AUTH_TAGS,
        security: OPEN,
        requestBody: body(jsonOrForm(renewal)),
        responses: { 200: granted('New tokens; the one that was sent is good for nothing any more'), ...failures },
      },
    },
    [`${auth}/logout`]: {
      post: {
        operationId: 'logout',
        summary: 'End a session, access tokens and all',
        tags: AUTH_TAGS,
        security: OPEN,
        requestBody: body(jsonOrForm(object({ refresh_token: TEXT }))),
        responses: { 200: responses.success('The session is over', json(object({ message: TEXT })), 'auth'), ...failures },
      },
    },
    [`${auth}/me`]: {
      get: {
        operationId: 'getOwnUser',
        summary: 'Who the token speaks for',
        tags: AUTH_TAGS,
        responses: {
          200: responses.success('The user and their permissions', json(me), 'auth'),
          ...responses.failures('auth', ...SIGNED_IN),
        },
      },
    },
  }
}

const jsonOrForm = (schema: Schema) => ({ ...json(schema), 'application/x-www-form-urlencoded': { schema } })

const FLAG: Schema = { type: 'boolean' }

const fieldView = object(
  {
    name: TEXT,
    title: TEXT,
    help_text: TEXT,
    field_type: TEXT,
    widget: TEXT,
    required: FLAG,
    readonly: FLAG,
    disabled: FLAG,
    placeholder: TEXT,
    default_value: {},
    options: { type: 'object', additionalProperties: true },
    error: object({ message: TEXT, code: TEXT }, ['message']),
    is_primary_key: FLAG,
  },
  ['name', 'required', 'readonly', 'disabled', 'is_primary_key'],
)

const NAMES: Schema = { type: 'array', items: TEXT }

const viewMembers = (viewType: 'form' | 'list') => ({
  name: TEXT,
  view_type: { type: 'string', const: viewType } as const,
  model: TEXT,
  fields: { type: 'array', items: ref('fieldView') } as const,
})

/** The views that the Views API answers with. */
export const VIEW_SCHEMAS: Readonly<Record<string, Schema>> = {
  fieldView,
  formView: object(
    { ...viewMembers('form'), creation_fields: NAMES, allowed_update_fields: NAMES },
    Object.keys(viewMembers('form')),
  ),
  listView: object(viewMembers('list')),
}

const VIEWS: Schema = { type: 'array', items: { anyOf: [ref('formView'), ref('listView')] } }

/** How each model is edited and displayed. */
export function viewPaths({ views }: Roots, registry: Registry, settings: Settings, responses: Responses): Paths {
  const failures = responses.failures('none', ...READ_OPEN, ...refusals(settings))
  const options = { tags: ['views'], ...access(settings) }
  return {
    [views]: {
      get: {
        operationId: 'getAllViews',
        summary: 'All views, by model',
        ...options,
        responses: {
          200: responses.success(
            'Views by model',
            json(object({ data: { type: 'object', additionalProperties: VIEWS } })),
            'none',
          ),
          ...failures,
        },
      },
    },
    [`${views}/{model}`]: {
      get: {
        operationId: 'getModelViews',
        summary: 'The views of one model',
        ...options,
        parameters: [{ name: 'model', in: 'path', required: true, schema: oneName(registry.public.map(({ key }) => key)) }],
        responses: {
          200: responses.success('The views of the model', json(object({ data: VIEWS })), 'none'),
          ...failures,
          ...responses.failures('none', 'notFound'),
        },
      },
    },
  }
}

const READ_OPEN: readonly Failure[] = ['badRequest', 'notJson']

/** Who may know how the project is made: everybody, or those with a token. */
const access = ({ views_auth }: Settings) => (views_auth === 'required' ? {} : { security: TOKEN_OPTIONAL })

const refusals = ({ views_auth }: Settings): readonly Failure[] => (views_auth === 'required' ? ['unauthenticated'] : [])

const status = (...words: readonly string[]): Schema => strictObject({ status: oneName(words) })

/** For whatever watches the server, and for whoever wants this document. */
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
          503: success('They should not', json(status('readonly', 'stopping'))),
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
