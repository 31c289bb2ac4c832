import type { Request } from '@hapi/hapi'
import { jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { FLAG, object, oneName, ref, type Schema, TEXT, TEXTS } from '../../openapi/schema.ts'
import type { CatalogOptions } from '../../project/view-catalog.ts'
import { MAX_PAGE_RECORDS } from '../../query/plan.ts'
import { FORM_USES, MAX_FORM_ROWS } from '../../views/definition.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { parametersOf } from '../request.ts'

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
    visible_when: { ...TEXT, description: 'The field is displayed while this CEL condition over `self` holds' },
  },
  ['name', 'required', 'readonly', 'disabled', 'is_primary_key'],
)

const GENERATED: ParameterObject = {
  name: 'generated',
  in: 'query',
  description: 'Add a generated view, marked `generated`, where a model has no form or no list',
  schema: { type: 'boolean', default: false },
}

const viewMembers = (viewType: 'form' | 'list') => ({
  name: TEXT,
  view_type: { type: 'string', const: viewType } as const,
  model: TEXT,
  fields: { type: 'array', items: ref('fieldView') } as const,
})

const ACTIONS: Schema = { ...TEXTS, description: 'Those that it offers; all when absent' }

const SORT: Schema = { type: 'array', items: object({ field: TEXT, order: oneName(['asc', 'desc']) }) }

const relatedRows = object(
  {
    field: { ...TEXT, description: 'The relation of the other model to this one: `<model>.<field>`' },
    title: TEXT,
    columns: TEXTS,
    form: { ...TEXT, description: 'The form that rows are written under' },
    sort: SORT,
    limit: { type: 'integer', minimum: 1, maximum: MAX_FORM_ROWS },
  },
  ['field', 'columns', 'limit'],
)

const formMembers = {
  use: { type: 'array', items: oneName(FORM_USES), description: 'Operations that the form opens for' },
  groups: { type: 'array', items: object({ title: TEXT, fields: TEXTS, collapsed: FLAG }, ['title', 'fields']) },
  related: { type: 'array', items: relatedRows, description: 'Records that refer to the one in the form, edited with it' },
} as const satisfies Record<string, Schema>

const listMembers = {
  sort: { ...SORT, description: 'The order at first' },
  page_size: { type: 'integer', minimum: 1, maximum: MAX_PAGE_RECORDS },
  filters: { ...TEXTS, description: 'Fields that are offered first as filters' },
  inline_form: { ...TEXT, description: 'The form through which cells may be edited' },
  layout: {
    ...object({ board: TEXT, calendar: object({ start: TEXT, end: TEXT, title: TEXT }, ['start']) }),
    description: 'What the list is displayed as besides a table: fields of its model',
  },
} as const satisfies Record<string, Schema>

/** Schemas of the Views API. */
export const VIEW_SCHEMAS: Readonly<Record<string, Schema>> = {
  fieldView,
  formView: object(
    {
      ...viewMembers('form'),
      generated: FLAG,
      actions: ACTIONS,
      creation_fields: TEXTS,
      allowed_update_fields: TEXTS,
      ...formMembers,
    },
    Object.keys(viewMembers('form')),
  ),
  listView: object(
    { ...viewMembers('list'), generated: FLAG, actions: ACTIONS, ...listMembers },
    Object.keys(viewMembers('list')),
  ),
}

const VIEWS: Schema = { type: 'array', items: { anyOf: [ref('formView'), ref('listView')] } }

/** The Views API: how each model is edited and displayed. The setting `views_auth` decides whether it needs a token. */
export function viewRoutes({ settings, registry, roots: { views }, responses }: RouteSource): ApiRoute[] {
  const access = settings.views_auth === 'required' ? 'token' : 'optional'
  const common = { method: 'GET', tag: 'views', access, keys: 'read' } as const
  const model: ParameterObject = {
    name: 'model',
    in: 'path',
    required: true,
    schema: oneName(registry.public.map(({ key }) => key)),
  }
  return [
    {
      ...common,
      path: views,
      operationId: 'getAllViews',
      summary: 'All views, by model',
      description: 'Forms and lists of the models that have any: fields, titles, widgets and conditions.',
      parameters: [GENERATED],
      answers: {
        200: responses.success('Views by model', jsonContent(object({ data: { type: 'object', additionalProperties: VIEWS } }))),
      },
      handler: (app) => (request) => ({ data: app.views.all(optionsOf(request)) }),
    },
    {
      ...common,
      path: `${views}/{model}`,
      operationId: 'getModelViews',
      summary: 'The views of one model',
      description: 'Its forms and lists: fields, titles, widgets and conditions.',
      parameters: [model, GENERATED],
      answers: { 200: responses.success('The views of the model', jsonContent(object({ data: VIEWS }))) },
      failures: ['notFound'],
      handler: (app) => (request) => ({ data: app.views.of(String(request.params.model), optionsOf(request)) }),
    },
  ]
}

/** @throws {AppError} INVALID_REQUEST */
function optionsOf(request: Request): CatalogOptions {
  const parameters = parametersOf(request)
  const generated = parameters.flag('generated')
  parameters.throwIfFaulty()
  return { generated }
}
