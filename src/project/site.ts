import { createHash } from 'node:crypto'
import type { AccessRules } from '../access/access-rules.ts'
import { groupIdsOf, mayShareWithAll } from '../access/saved-view-access.ts'
import { ACTIONS, type Action, type Actor } from '../auth/permissions.ts'
import type { ProjectJob, ProjectJobs } from '../code/parse-jobs.ts'
import type { Settings } from '../config/settings.ts'
import type { History } from '../history/history.ts'
import { type Field, isNeeded, isSettable } from '../model/field.ts'
import { maxSizeOf, type SizeSettings } from '../model/file-limits.ts'
import type { FileRules, ThumbnailRecipe } from '../model/files.ts'
import type { Model } from '../model/model.ts'
import { reverseRelations } from '../model/reverse-relations.ts'
import { MAX_PAGE_RECORDS } from '../query/plan.ts'
import type { ModelAction, ModelActions } from '../records/actions.ts'
import { MAX_BULK_RECORDS } from '../records/write-requests.ts'
import { isSearchable } from '../search/search-engine.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../util/files.ts'
import { generatedTitle, inputFields, shownDefault } from '../views/generate.ts'
import { SAVED_VIEWS } from '../views/saved-view-model.ts'
import type { ProjectDashboard } from './dashboard.ts'
import { savedViewsFor } from './saved-views.ts'
import type { Snapshots } from './snapshots.ts'
import { serializeField } from './view-catalog.ts'

/** Title of a project whose settings name none. */
export const DEFAULT_TITLE = 'Admin'

export interface SiteParts {
  readonly settings: Settings
  readonly access: AccessRules
  readonly actions: ModelActions
  readonly jobs: ProjectJobs
  readonly dashboard: ProjectDashboard | undefined
  readonly store: Store
  readonly history: History
  readonly snapshots: Snapshots
  /** Root path of the API, base path included. */
  readonly apiRoot: string
}

/** A description as JSON, and a digest of it. */
export interface SiteDescription {
  readonly text: string
  readonly digest: string
}

/** Describes a project to front ends: the models that a user may access, with their fields, and the features of the API. */
export class SiteReader {
  readonly #parts: SiteParts

  constructor(parts: SiteParts) {
    this.#parts = parts
  }

  async describe(actor: Actor): Promise<SiteDescription> {
    const { settings, access, store, jobs, dashboard, history, snapshots, apiRoot } = this.#parts
    const { isSuperuser } = actor
    // Every user has saved views, those that are meant for the user are below; all of them are a model that superusers look after.
    const models = access.registry.public.filter(
      (model) => (isSuperuser || model.key !== SAVED_VIEWS) && this.#mayAny(actor, model),
    )
    const groups = await store.get('group', groupIdsOf(actor))
    const { ui } = settings
    const may = (action: Action) => models.filter((model) => access.may(actor, action, model))
    const site = {
      title: ui.title ?? DEFAULT_TITLE,
      accent: ui.accent ?? null,
      logo: ui.logo ?? null,
      version: VERSION,
      api_root: apiRoot,
      user: {
        id: actor.userId ?? null,
        username: actor.user?.username ?? null,
        is_superuser: isSuperuser,
        groups: groups.flatMap((group) => (group === undefined ? [] : [{ id: group.id, name: group.name }])),
      },
      capabilities: {
        history: history.isOn,
        files: access.registry.withFiles.length > 0,
        search: may('view').some(isSearchable),
        import: may('add').length > 0,
        webhooks: isSuperuser,
        snapshots: isSuperuser && snapshots.areAvailable,
        mock: isSuperuser,
        lint: isSuperuser,
        events: may('view').length > 0,
        openapi: true,
        saved_views: actor.userId !== undefined && access.may(actor, 'view', access.registry.expect(SAVED_VIEWS)),
        share_views: mayShareWithAll(actor),
      },
      limits: {
        page_size: MAX_PAGE_RECORDS,
        bulk_size: MAX_BULK_RECORDS,
        upload_bytes: settings.max_upload_bytes,
        record_bytes: settings.max_record_bytes,
        requests_per_minute: settings.rate_limits.default === 0 ? null : settings.rate_limits.default,
      },
      models: await Promise.all(models.map((model) => this.#model(actor, model, new Set(models)))),
      saved_views: await savedViewsFor(access, store, actor),
      ...(dashboard === undefined ? {} : { dashboard: dashboard.of(actor, access) }),
      ...(isSuperuser && jobs.size > 0 ? { jobs: [...jobs.values()].map(jobJson) } : {}),
    }
    const text = JSON.stringify(site)
    return { text, digest: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
  }

  #allowed(actor: Actor, model: Model): Action[] {
    return ACTIONS.filter((action) => this.#parts.access.may(actor, action, model))
  }

  #mayAny(actor: Actor, model: Model): boolean {
    const { access } = this.#parts
    return access.registry.actionsOf(model).some((action) => access.may(actor, action, model))
  }

  async #model(actor: Actor, model: Model, shown: ReadonlySet<Model>): Promise<object> {
    const { settings, access, actions, history } = this.#parts
    const can = this.#allowed(actor, model)
    const referrers = access.registry.referrersOf(model.key).filter((each) => shown.has(each.model))
    const reverse = [...reverseRelations(model, access.registry).values()]
    return {
      key: model.key,
      name: model.name,
      label: model.label,
      display_field: model.displayField,
      group: model.group ?? null,
      icon: model.icon ?? null,
      can,
      ...(can.includes('view') ? { count: await this.#count(actor, model) } : {}),
      searchable: isSearchable(model),
      history: history.covers(model),
      ...(model.uniqueSets.length === 0 ? {} : { unique_together: model.uniqueSets.map((set) => set.fields) }),
      fields: model.visibleFields.map((field) => fieldJson(field, settings)),
      actions: actions.of(model).map((action) => ({ ...actionJson(action), can: access.may(actor, action.name, model) })),
      referenced_by: referrers.map(({ model: referrer, field }) => ({
        model: referrer.key,
        field: field.name,
        on_delete: field.relation.onDelete,
        name: reverse.find((each) => each.model === referrer && each.field === field)?.name ?? null,
      })),
    }
  }

  async #count(actor: Actor, model: Model): Promise<number> {
    const { access, store } = this.#parts
    const only = access.only(actor, 'view', model)
    const filters = only === undefined ? [] : [only]
    return (await store.find(model.key, { filters, sort: [], offset: 0, limit: 1 })).total
  }
}

function actionJson({ name, title, icon, tone, confirm, on, when, input }: ModelAction): object {
  return {
    ...{ name, title, icon: icon ?? null, tone, confirm: confirm ?? null, on, when: when?.text ?? null },
    ...inputJson(input),
  }
}

const jobJson = ({ name, schedule, input }: ProjectJob): object => ({
  name,
  schedule: schedule?.getPattern() ?? null,
  timezone: schedule?.options.timezone ?? null,
  ...inputJson(input),
})

/** The fields of an input, as those of forms and as those of models. */
const inputJson = (input: Model): object => ({
  input: inputFields(input).map(serializeField),
  input_fields: [...input.fields.values()].map((field) => fieldJson(field)),
})

/** @param settings undefined for inputs, which have no files */
function fieldJson(field: Field, settings?: SizeSettings): object {
  const { name, type, label, helpText, unique, limits, labelledChoices, relation, file } = field
  const { choices, pattern: _, ...bounds } = limits
  const value = isSettable(field) ? shownDefault(field) : undefined
  return {
    name,
    type: type.name,
    label: label ?? generatedTitle(name),
    help_text: helpText ?? null,
    required: isNeeded(field),
    unique,
    readonly: !isSettable(field),
    sortable: type.sortable,
    operators: type.operators,
    choices: labelledChoices ?? choices?.map((value) => ({ value })) ?? null,
    bounds,
    ...(value === undefined ? {} : { default: value }),
    relation: relation === undefined ? null : { name: relation.name, model: relation.target, on_delete: relation.onDelete },
    ...(file === undefined || settings === undefined ? {} : { file: fileJson(file, type.list, settings) }),
  }
}

const fileJson = (rules: FileRules, multiple: boolean, settings: SizeSettings) => ({
  multiple,
  max_files: rules.maxFiles,
  max_size: maxSizeOf(rules, settings),
  accept: rules.accept ?? null,
  thumbnails: Object.fromEntries([...rules.thumbnails].map(([name, recipe]) => [name, thumbnailJson(recipe)])),
  min_width: rules.minWidth ?? null,
  min_height: rules.minHeight ?? null,
})

const thumbnailJson = ({ width, height, fit }: ThumbnailRecipe) => ({ width: width ?? null, height: height ?? null, fit })
