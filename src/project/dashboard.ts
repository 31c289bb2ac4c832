import Joi from 'joi'
import type { AccessRules } from '../access/access-rules.ts'
import type { Actor } from '../auth/permissions.ts'
import type { Access } from '../code/define.ts'
import { accessSchema, checkPermission } from '../code/parse-access.ts'
import { type FaultRule, Faults } from '../config/fault.ts'
import { SCHEMA_REFERENCE, validateShape } from '../config/shape.ts'
import { type Definition, type Path, type Source, within } from '../config/source.ts'
import { AppError } from '../errors.ts'
import type { Model } from '../model/model.ts'
import type { Registry } from '../model/registry.ts'
import { isAddable, MEASURES, type Measure, parseAggregateRequest } from '../query/aggregate.ts'
import { MAX_FILTERS, parseFilters, visible } from '../query/filters.ts'
import { Parameters } from '../query/parameters.ts'
import { hasPeriods } from '../query/periods.ts'
import type { Filter, SortKey } from '../query/plan.ts'
import { parseSort } from '../query/sort.ts'
import type { JsonObject } from '../util/json.ts'
import { meantOrKnown } from '../util/suggest.ts'
import type { Views } from '../views/views.ts'

/** What a panel shows: one number, bars of groups, a line over time, or rows. */
export const PANEL_KINDS = ['number', 'bars', 'line', 'table'] as const

type PanelKind = (typeof PANEL_KINDS)[number]

export const PANEL_SIZES = ['small', 'medium', 'large'] as const

/** The spans of days that a panel may be limited to, by the day of who looks at it. The page knows the same ones. */
export const PANEL_PERIODS = [
  'today',
  'yesterday',
  'tomorrow',
  'last_7_days',
  'next_7_days',
  'last_30_days',
  'this_month',
  'last_month',
  'this_year',
] as const

/** How the groups of a panel are ordered: by their number, the greatest first, or by what they are. */
export const GROUP_ORDERS = ['value', 'group'] as const

const MAX_PANELS = 30
const MAX_LIMIT = 100

/** A panel as it is written. */
interface PanelDefinition extends Partial<Readonly<Record<Measure, string>>> {
  readonly title: string
  readonly kind: PanelKind
  readonly model: string
  readonly filters?: readonly string[]
  readonly group_by?: string
  readonly count?: true
  readonly period?: string
  readonly sort?: (typeof GROUP_ORDERS)[number] | readonly { readonly field: string; readonly order?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly link?: string | false
  readonly size?: (typeof PANEL_SIZES)[number]
  readonly access?: Exclude<Access, 'public'>
}

const measures = Object.fromEntries(MEASURES.map((name) => [name, Joi.string()]))

const panelSchema = Joi.object<PanelDefinition>({
  title: Joi.string().max(100).required(),
  kind: Joi.valid(...PANEL_KINDS).required(),
  model: Joi.string().required(),
  filters: Joi.array().items(Joi.string()),
  group_by: Joi.string(),
  count: Joi.valid(true),
  ...measures,
  period: Joi.string(),
  sort: Joi.alternatives().conditional(Joi.array(), {
    // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
    then: Joi.array()
      .items(Joi.object({ field: Joi.string().required(), order: Joi.valid('asc', 'desc') }))
      .min(1),
    otherwise: Joi.valid(...GROUP_ORDERS),
  }),
  limit: Joi.number().integer().min(1).max(MAX_LIMIT),
  link: Joi.alternatives().conditional(Joi.string(), {
    // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
    then: Joi.string(),
    otherwise: Joi.valid(false).messages({ 'any.only': '{{#label}} must be the name of a list view, or false' }),
  }),
  size: Joi.valid(...PANEL_SIZES),
  access: accessSchema('authenticated', 'superuser'),
})
  .oxor('count', ...MEASURES)
  .messages({ 'object.oxor': `A panel has one measure; remove all but one of ${['count', ...MEASURES].join(', ')}` })

/** Schema of a dashboard. */
export const dashboardSchema = Joi.object<{ readonly panels: readonly PanelDefinition[] }>({
  ...SCHEMA_REFERENCE,
  panels: Joi.array().items(panelSchema).max(MAX_PANELS).required(),
})

/** The panels are judged one by one, so that a fault of one hides none of another. */
const outerSchema = Joi.object<{ readonly panels: readonly unknown[] }>({
  ...SCHEMA_REFERENCE,
  panels: Joi.array().max(MAX_PANELS).required(),
})

/** A panel of the dashboard of a project. */
interface Panel {
  readonly model: Model
  /** What the panel asks for. A panel is only for those who may ask this. */
  readonly query: { readonly filters: readonly Filter[]; readonly sort: readonly SortKey[] }
  readonly access: PanelDefinition['access']
  /** As the site has it. */
  readonly served: JsonObject
}

/** The panels that a project puts on the first page. */
export class ProjectDashboard {
  readonly #panels: readonly Panel[]

  constructor(panels: readonly Panel[]) {
    this.#panels = panels
  }

  /** The panels that an actor sees: of models that the actor may view, also where filters go through relations. */
  of(actor: Actor, rules: AccessRules): readonly JsonObject[] {
    return this.#panels.filter((panel) => isShown(panel, actor, rules)).map(({ served }) => served)
  }
}

function isShown({ model, query, access }: Panel, actor: Actor, rules: AccessRules): boolean {
  if (!rules.may(actor, 'view', model) || !isAdmitted(access, actor)) return false
  try {
    rules.restricted(actor, model, query)
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'FORBIDDEN') return false
    throw error
  }
}

function isAdmitted(access: PanelDefinition['access'], { isSuperuser, userId, groups, permissions }: Actor): boolean {
  if (isSuperuser || access === undefined) return true
  if (access === 'superuser') return false
  if (access === 'authenticated') return userId !== undefined
  return 'group' in access ? groups.has(access.group) : permissions.has(access.permission)
}

/**
 * Parses the dashboard of a project. Faulty panels are left out; all faults prevent a start.
 *
 * @param definition undefined for a project without a dashboard
 * @param unclear keys of models that are faulty, whose panels are not judged
 * @returns undefined for a project without a dashboard
 */
export function parseDashboard(
  definition: Definition | undefined,
  { registry, views, unclear }: { readonly registry: Registry; readonly views: Views; readonly unclear: ReadonlySet<string> },
): { dashboard: ProjectDashboard | undefined; faults: Faults } {
  const faults = new Faults('dashboard/invalid')
  if (definition === undefined) return { dashboard: undefined, faults }
  const { source } = definition
  const rule = () => 'dashboard/invalid' as const
  const { value, faults: shape } = validateShape(outerSchema, definition.value, source, { rule })
  faults.addAll(shape.list)
  const panels = (value?.panels ?? []).flatMap((written, index) => {
    const place = within(source, ['panels', index])
    const { value: panel, faults: own } = validateShape(panelSchema, written, place, { rule })
    faults.addAll(own.list)
    if (panel === undefined || unclear.has(panel.model.toLowerCase())) return []
    return new PanelParser(panel, { source: place, registry, views }, faults).parse() ?? []
  })
  return { dashboard: new ProjectDashboard(panels), faults }
}

interface PanelPlace {
  readonly source: Source
  readonly registry: Registry
  readonly views: Views
}

class PanelParser {
  readonly #written: PanelDefinition
  readonly #place: PanelPlace
  readonly #faults: Faults

  constructor(written: PanelDefinition, place: PanelPlace, faults: Faults) {
    this.#written = written
    this.#place = place
    this.#faults = faults
  }

  /** @returns undefined if the model does not exist */
  parse(): Panel | undefined {
    const { registry } = this.#place
    const { title, kind, model: wanted, filters = [], access, limit, size, link } = this.#written
    const model = registry.public.find(({ name }) => name === wanted)
    if (model === undefined) {
      const known = registry.public.map(({ name }) => name)
      return void this.#fault(['model'], `There is no model '${wanted}'${meantOrKnown(wanted, known)}`, 'dashboard/unknown-model')
    }
    this.#checkKind(model)
    this.#checkLink(model)
    if (typeof access === 'object' && 'permission' in access) checkPermission(access, registry, this.#place.source, this.#faults)
    const query = { filters: this.#filters(model), sort: this.#sort(model) }
    const measure = this.#measure()
    this.#check('group_by', model)
    if (measure !== undefined && measure.name !== 'count') this.#check(measure.name, model)
    const { group_by = null, period, sort } = this.#written
    const served = {
      ...{ title, kind, model: model.key, filters: [...filters, ...this.#period(period, model)], group_by },
      measure: measure === undefined ? null : { name: measure.name, field: measure.field ?? null },
      sort:
        sort === undefined
          ? null
          : typeof sort === 'string'
            ? sort
            : sort.map(({ field, order }) => (order === 'desc' ? `-${field}` : field)),
      ...{ limit: limit ?? null, link: link ?? null, size: size ?? null },
    }
    return { model, query, access, served }
  }

  #fault(path: Path, message: string, rule?: FaultRule): void {
    this.#faults.add(this.#place.source, path, message, rule && { rule })
  }

  /** What is computed of the records; the number of records where nothing is written. */
  #measure(): { readonly name: Measure | 'count'; readonly field?: string } | undefined {
    const { kind, group_by: groupBy } = this.#written
    for (const name of MEASURES) {
      const field = this.#written[name]
      if (field !== undefined) return { name, field }
    }
    return kind === 'table' && groupBy === undefined ? undefined : { name: 'count' }
  }

  /** Reports keys that the kind does not have, and lacks. */
  #checkKind(model: Model): void {
    const { kind, group_by: groupBy, sort, limit } = this.#written
    const measure = MEASURES.find((name) => this.#written[name] !== undefined)
    const isGrouped = groupBy !== undefined
    const none = (key: string, remedy: string) => this.#fault([key], `A panel of the kind ${kind} has no '${key}'; ${remedy}`)
    if (kind === 'number') {
      if (isGrouped) none('group_by', 'choose bars, line or table')
      if (sort !== undefined) none('sort', 'leave it out')
      if (limit !== undefined) none('limit', 'leave it out')
      return
    }
    if ((kind === 'bars' || kind === 'line') && !isGrouped)
      this.#fault(
        [],
        `A panel of the kind ${kind} needs 'group_by'${kind === 'line' ? ' with a period, such as created_at:week' : ''}`,
      )
    if (kind === 'line' && isGrouped && !groupBy.includes(':'))
      this.#fault(['group_by'], `A line needs a period of a date, such as created_at:week, not '${groupBy}'`)
    if (kind === 'line' && sort !== undefined) none('sort', 'a line is in the order of time')
    if (kind === 'table' && !isGrouped && (measure ?? this.#written.count) !== undefined)
      this.#fault([measure ?? 'count'], "A table of records has no measure; group them by 'group_by', or choose the kind number")
    if (isGrouped && typeof sort === 'object') this.#fault(['sort'], `Groups are ordered by ${GROUP_ORDERS.join(' or ')}`)
    if (kind === 'table' && !isGrouped && typeof sort === 'string')
      this.#fault(['sort'], `Records are ordered by fields: sort: [{ field: ${model.displayField} }]`)
    const drawn = measure === undefined ? undefined : visible(model, this.#written[measure] ?? '')
    if (isGrouped && drawn !== undefined && !isAddable(drawn))
      this.#fault([measure ?? ''], `'${drawn.name}' is a ${drawn.type.name} field, and ${kind} need numbers`)
  }

  #checkLink(model: Model): void {
    const { link } = this.#written
    if (typeof link !== 'string') return
    const lists = this.#place.views.all.filter(({ view, modelKey }) => modelKey === model.key && view.view_type === 'list')
    const known = lists.map(({ view }) => view.name)
    if (!known.includes(link)) this.#fault(['link'], `${model.name} has no list view '${link}'${meantOrKnown(link, known)}`)
  }

  /** Reports what the aggregate API would. */
  #check(parameter: Measure | 'group_by', model: Model): void {
    const text = this.#written[parameter]
    if (text === undefined) return
    if (text.includes(',')) this.#fault([parameter], `'${parameter}' of a panel takes one field`)
    this.#asking([parameter], () =>
      parseAggregateRequest(new URLSearchParams({ [parameter]: text }), model, this.#place.registry),
    )
  }

  #filters(model: Model): readonly Filter[] {
    const { filters = [], period } = this.#written
    // A panel with a period has one filter more, and the page may ask for a period as two.
    const most = MAX_FILTERS - (period === undefined ? 0 : 2)
    if (filters.length > most) this.#fault(['filters'], `A panel has at most ${most} filters, not ${filters.length}`)
    return filters.flatMap((filter, index) =>
      this.#asking(['filters', index], () => {
        const parameters = new Parameters(new URLSearchParams({ filters: filter }), ['filters'])
        const parsed = parseFilters(parameters, model, this.#place.registry)
        parameters.throwIfFaulty()
        return parsed
      }),
    )
  }

  #sort(model: Model): readonly SortKey[] {
    const { sort } = this.#written
    if (typeof sort !== 'object') return []
    return sort.flatMap(({ field }, index) => {
      const path = ['sort', index, 'field']
      if (field.includes(',')) this.#fault(path, `'${field}' names several fields; write each as a key of its own`)
      if (sort.findIndex((each) => each.field === field) < index) this.#fault(path, `'${field}' is named twice; remove one`)
      return this.#asking(path, () => {
        const parameters = new Parameters(new URLSearchParams({ sort_by: field }), ['sort_by'])
        const parsed = parseSort(parameters, model, this.#place.registry)
        parameters.throwIfFaulty()
        return parsed
      })
    })
  }

  /** The filter of a span of days, as the address of a list has it. */
  #period(text: string | undefined, model: Model): readonly string[] {
    if (text === undefined) return []
    const [name = '', period = '', ...rest] = text.split(':')
    const field = visible(model, name)
    const dates = model.visibleFields.filter(hasPeriods).map((each) => each.name)
    if (field === undefined || !hasPeriods(field)) {
      const fault = field === undefined ? `Unknown field '${name}'` : `'${name}' is a ${field.type.name} field, and no date`
      this.#fault(['period'], `${fault}${meantOrKnown(name, dates)}; write <date field>:last_30_days`, 'dashboard/query-invalid')
      return []
    }
    if (rest.length > 0 || !PANEL_PERIODS.some((each) => each === period)) {
      const fault = `There is no period '${[period, ...rest].join(':')}'`
      this.#fault(['period'], `${fault}${meantOrKnown(period, PANEL_PERIODS)}`, 'dashboard/query-invalid')
      return []
    }
    return [`${name}__within=${period}`]
  }

  /** Reads a part as the API does; what the API would refuse is a fault. */
  #asking<T>(path: Path, read: () => T | readonly T[]): readonly T[] {
    try {
      return [read()].flat() as T[]
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST') throw error
      for (const message of messagesOf(error)) this.#fault(path, message, 'dashboard/query-invalid')
      return []
    }
  }
}

const messagesOf = ({ details }: AppError): readonly string[] =>
  typeof details === 'string' ? [details] : Object.values(details).flat()
