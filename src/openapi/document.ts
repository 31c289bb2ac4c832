import type { AccessRules } from '../access/access-rules.ts'
import type { Endpoint } from '../code/parse-endpoints.ts'
import type { Settings } from '../config/settings.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { ViewCatalog } from '../project/view-catalog.ts'
import type { ModelAction, ModelActions } from '../records/actions.ts'
import type { Form } from '../validate/form.ts'
import type { Views } from '../views/views.ts'
import { boundsSchema, type FormSchemas, type ModelForms } from './bodies.ts'
import { withComponents } from './components.ts'
import { FILE_SCHEMAS } from './field-schemas.ts'
import type { OpenApiDocument, Paths } from './operation.ts'
import {
  actionInputName,
  creationSchema,
  nestedSchema,
  partSchema,
  recordSchema,
  schemaNames,
  updateSchema,
} from './record-schemas.ts'
import { ERROR_SCHEMAS, Responses } from './responses.ts'
import type { Schema } from './schema.ts'

/** The parts of a project that the document describes. */
export interface ContractSource {
  readonly settings: Settings
  readonly registry: Registry
  readonly access: AccessRules
  readonly actions: ModelActions
  readonly forms: ReadonlyMap<string, Form>
  readonly views: Views
  readonly endpoints: readonly Endpoint[]
  /** By name. */
  readonly jobs: ReadonlyMap<string, unknown>
  /** Undefined for a project without a dashboard of its own. */
  readonly dashboard: unknown
}

/** A model with all that the description of its operations depends on. */
export interface ModelSource extends ModelForms {
  readonly model: Model
  readonly registry: Registry
  readonly access: AccessRules
  readonly actions: readonly ModelAction[]
  readonly responses: Responses
}

/** The public models of a project. */
export function modelSources({ registry, access, actions, forms, views }: ContractSource, responses: Responses): ModelSource[] {
  const formSchemas = nameFormSchemas(forms)
  const catalog = new ViewCatalog(registry, views)
  return registry.public.map((model) => ({
    ...{ model, registry, access, actions: actions.of(model), responses },
    forms: formSchemas.filter(({ form }) => form.model === model),
    generatedForm: catalog.generatedForm(model)?.name,
  }))
}

interface DocumentParts {
  readonly models: readonly ModelSource[]
  readonly paths: Paths
  /** Schemas of the paths, beside those of the models. */
  readonly schemas: Readonly<Record<string, Schema>>
  /** Where clients log in. */
  readonly tokenUrl: string
}

const DESCRIPTION = [
  'Records of every model, and how they are edited and displayed.',
  'The answer to a request that counts towards a limit has the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`,',
  '`RateLimit` and `RateLimit-Policy`, as described at the answer 429.',
].join(' ')

/** Projects state no licence of their API; SPDX has a word for that. */
const LICENSE = { name: 'None stated', identifier: 'NOASSERTION' }

/** The document is the same on every port. */
const COOKIE = 'The refresh token; `{port}` is the port that the server listens on'

const FILES_COOKIE = 'A token that reads files, set with the refresh token; `{port}` is the port that the server listens on'

/** Only in documents of projects that have some. */
const ENDPOINTS_TAG = { name: 'ext', description: 'Endpoints of the project' }

const TAGS = [
  { name: 'auth', description: 'Logging in and out' },
  { name: 'views', description: 'How each model is edited and displayed' },
  { name: 'webhooks', description: 'Webhook subscriptions and deliveries' },
  { name: 'site', description: 'What a front end of the whole project needs' },
  { name: 'history', description: 'Who changed what' },
  { name: 'data', description: 'The data as a whole: copies of it, and a new beginning' },
  { name: 'operations', description: 'For whatever watches the server' },
]

const IN_COOKIE = { type: 'apiKey', in: 'cookie' } as const

const FILES_TAG = { name: 'files', description: 'The bytes of files' }

const JOBS_TAG = { name: 'jobs', description: 'Work of the project that is stored, and done later' }

/** Describes the API of a project. The same project gives the same document, byte for byte. */
export function openApiDocument(
  { settings, registry, endpoints, jobs }: ContractSource,
  { models, paths, schemas, tokenUrl }: DocumentParts,
): OpenApiDocument {
  const { base_path: base, api_version: version } = settings
  const responses = new Responses(settings)
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: {
      title: `${settings.ui.title ?? 'Admin'} API`,
      version,
      description: DESCRIPTION,
      contact: { name: `The administrators of ${settings.ui.title ?? 'this server'}` },
      license: LICENSE,
    },
    servers: [{ url: base === '' ? '/' : base }],
    security: [{ bearer: [] }, { password: [] }],
    tags: [
      ...registry.public.map(({ name, label }) => ({ name, description: label })),
      ...TAGS,
      ...(registry.withFiles.length > 0 ? [FILES_TAG] : []),
      ...(endpoints.length === 0 ? [] : [ENDPOINTS_TAG]),
      ...(jobs.size > 0 ? [JOBS_TAG] : []),
    ],
    paths,
    components: {
      schemas: {
        ...modelSchemas(models),
        ...schemas,
        ...FILE_SCHEMAS,
        ...ERROR_SCHEMAS,
      },
      parameters: {},
      requestBodies: {},
      responses: responses.components(),
      headers: responses.headers(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token (JWT) of a login, or an API key (`adm_…`)' },
        ...(registry.withFiles.length > 0
          ? { filesCookie: { ...IN_COOKIE, name: 'admin_files_{port}', description: FILES_COOKIE } }
          : {}),
        refreshCookie: { ...IN_COOKIE, name: 'admin_refresh_{port}', description: COOKIE },
        password: { type: 'oauth2', flows: { password: { tokenUrl, scopes: {} } } },
      },
    },
  }
  return withComponents(document)
}

function modelSchemas(sources: readonly ModelSource[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {}
  for (const { model, registry, actions } of sources) {
    const names = schemaNames(model)
    schemas[names.record] = recordSchema(model, registry)
    schemas[names.part] = partSchema(model, registry)
    schemas[names.nested] = nestedSchema(model)
    schemas[names.create] = creationSchema(model)
    schemas[names.update] = updateSchema(model)
    schemas[names.bounds] = boundsSchema(model)
    for (const action of actions) schemas[actionInputName(action)] = creationSchema(action.input)
  }
  for (const { form, create, update } of sources.flatMap(({ forms }) => forms)) {
    schemas[create] = creationSchema(form.model, form)
    schemas[update] = updateSchema(form.model, form)
  }
  return schemas
}

/** Gives each form a component name. Characters that component names cannot have are replaced; duplicates are numbered. */
function nameFormSchemas(forms: ReadonlyMap<string, Form>): FormSchemas[] {
  const taken = new Set<string>()
  return [...forms.values()].map((form) => {
    const plain = `${form.model.name}.${form.name.replace(/[^A-Za-z0-9_-]/g, '_')}`
    let name = plain
    for (let twin = 2; taken.has(name); twin++) name = `${plain}_${twin}`
    taken.add(name)
    return { form, create: `${name}.create`, update: `${name}.update` }
  })
}
