import { sep } from 'node:path'
import type { AccessRules } from '../access/access-rules.ts'
import { compileAccess } from '../access/compile-access.ts'
import { AUTH_MODELS } from '../auth/account-models.ts'
import { parseRoles, type Role } from '../auth/roles.ts'
import { JOB_MODELS } from '../code/job-models.ts'
import { MAIL_JOB, mailJob } from '../code/mail-job.ts'
import { actionNames, parseActions } from '../code/parse-actions.ts'
import { type Endpoint, parseEndpoints } from '../code/parse-endpoints.ts'
import { computedFields, type ProjectHooks, parseHooks } from '../code/parse-hooks.ts'
import { type ProjectJobs, parseJobs } from '../code/parse-jobs.ts'
import { type FaultRule, Faults } from '../config/fault.ts'
import { listSeeds, type ProjectFiles, readProjectFiles, type SeedFile } from '../config/project-files.ts'
import { resolveSettings, type Settings, type SettingsInput } from '../config/settings.ts'
import { type Definition, flatSource } from '../config/source.ts'
import { subscriptionsIn } from '../config/webhook-settings.ts'
import { AppError } from '../errors.ts'
import { FILE_MODELS } from '../files/file-models.ts'
import { HISTORY_MODELS } from '../history/history-recorder.ts'
import { buildRegistry, type DefinedModel } from '../model/build.ts'
import type { Registry } from '../model/registry.ts'
import type { ModelActions } from '../records/actions.ts'
import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { compileForm, type Form } from '../validate/form.ts'
import { VIEW_MODELS } from '../views/saved-view-model.ts'
import { buildViews, type Views } from '../views/views.ts'
import { WEBHOOK_MODELS } from '../webhooks/models.ts'
import { type ProjectDashboard, parseDashboard } from './dashboard.ts'

const BUILT_IN = {
  ...AUTH_MODELS,
  fixed: VIEW_MODELS,
  internal: [...AUTH_MODELS.internal, ...WEBHOOK_MODELS, ...HISTORY_MODELS, ...JOB_MODELS, ...FILE_MODELS],
}

/** A loaded project without faults. */
export interface Project {
  readonly folder: string
  readonly settings: Settings
  readonly registry: Registry
  readonly views: Views
  readonly access: AccessRules
  readonly actions: ModelActions
  readonly roles: readonly Role[]
  /** Forms by name, the `form_id` of the API. */
  readonly forms: ReadonlyMap<string, Form>
  /** Hooks by the key of their model. */
  readonly hooks: ProjectHooks
  readonly endpoints: readonly Endpoint[]
  /** Jobs by name. */
  readonly jobs: ProjectJobs
  /** Undefined for a project without a dashboard of its own. */
  readonly dashboard: ProjectDashboard | undefined
  readonly seeds: readonly SeedFile[]
  /** Messages about settings that are valid but probably unintended. */
  readonly warnings: readonly string[]
}

/** The location of a project and overrides of its settings. */
export interface ProjectSource {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: SettingsInput
}

/** The readable parts of a project, with its faults. */
export interface ExaminedProject {
  /** Complete if there are no faults; otherwise without the faulty parts. */
  readonly project: Project
  readonly faults: Faults
  readonly files: ProjectFiles
  /** The project's own models with their source positions. */
  readonly models: readonly DefinedModel[]
}

/**
 * Reads a project and finds everything that prevents it from being served. Does not open the data.
 *
 * @throws {AppError} USAGE when the folder does not exist
 */
export async function examineProject({ folder, env, flags }: ProjectSource): Promise<ExaminedProject> {
  const { files, faults } = await readProjectFiles(folder)
  const { settings, faults: settingFaults, warnings } = resolveSettings(files.config, env, flags)
  const {
    registry,
    defined,
    unclear,
    faults: modelFaults,
  } = buildRegistry(files.models, BUILT_IN, computedFields(files.hooks), actionNames(files.actions))
  const isClear = ({ value }: Definition) => !unclear.has(modelOf(value))
  const { views, faults: viewFaults } = buildViews(files.views.filter(isClear), registry)
  const { forms, faults: formFaults } = compileForms(views, registry)
  const { actions, faults: actionFaults } = parseActions(files.actions.filter(isClear), registry, unclear)
  const { access, faults: accessFaults } = compileAccess(defined, registry, actions.all)
  const { roles, faults: roleFaults } = parseRoles(files.roles, registry)
  const { hooks, faults: hookFaults } = parseHooks(folder, files.hooks, registry, unclear)
  const { endpoints, faults: endpointFaults } = parseEndpoints(files.endpoints, registry, unclear)
  const { jobs: ownJobs, faults: jobFaults } = parseJobs(folder, files.jobs, registry, unclear)
  const jobs = settings.mail === undefined ? ownJobs : new Map([...ownJobs, [MAIL_JOB, mailJob(registry)]])
  const { dashboard, faults: dashboardFaults } = parseDashboard(files.dashboard, { registry, views, unclear })
  // An unreadable model file, or a model without a valid name, may be the missing model.
  const mayLack =
    unclear.has('') ||
    faults.list.some(({ rule, position: { file } }) => rule === 'file/invalid' && file.startsWith(`models${sep}`))
  for (const { list } of [
    settingFaults,
    modelFaults,
    viewFaults,
    formFaults,
    actionFaults,
    accessFaults,
    roleFaults,
    hookFaults,
    endpointFaults,
    jobFaults,
    dashboardFaults,
  ]) {
    faults.addAll(mayLack ? list.filter(({ rule, message }) => !MISSED_MODEL.has(rule) || isSlip(message)) : list)
  }
  checkModelNames(
    files,
    [...registry.public.map(({ key }) => key), ...unclear].filter((key) => key !== ''),
    mayLack,
    faults,
  )
  const project = {
    folder,
    settings,
    registry,
    views,
    access,
    actions,
    roles,
    forms,
    hooks,
    endpoints,
    jobs,
    dashboard,
    seeds: files.seeds,
    warnings,
  }
  return { project, faults, files, models: defined }
}

/** The model that a view or an action names, in lower case; `?` if it names none. */
const modelOf = (view: unknown): string => (isObject(view) && typeof view.model === 'string' ? view.model.toLowerCase() : '?')

/** Rules that report a reference to an unknown model. */
const MISSED_MODEL: ReadonlySet<FaultRule> = new Set([
  'model/unknown-relation',
  'view/unknown-model',
  'role/unknown-permission',
  'code/unknown-model',
  'dashboard/unknown-model',
])

/** A reference with a similar known name is a typing error even if model files are unreadable. */
const isSlip = (message: string): boolean => message.includes('did you mean')

type MissingModel = (model: string) => { readonly message: string; readonly guess: string } | undefined

const missingModel =
  (keys: readonly string[], mayLack: boolean): MissingModel =>
  (model) => {
    const message = `There is no model '${model}'`
    const guess = didYouMean(model, keys)
    return keys.includes(model) || (mayLack && !isSlip(guess)) ? undefined : { message, guess }
  }

function checkSeedModels(seeds: readonly SeedFile[], missing: MissingModel, faults: Faults): void {
  for (const { model, file } of seeds) {
    const found = missing(model)
    if (found !== undefined) faults.add(flatSource(file), [], `${found.message} to seed${found.guess}`)
  }
}

/** Checks the model names in seed files and in webhook subscriptions. */
function checkModelNames(files: ProjectFiles, keys: readonly string[], mayLack: boolean, faults: Faults): void {
  const missing = missingModel(keys, mayLack)
  checkSeedModels(files.seeds, missing, faults)
  if (files.config !== undefined) checkSubscriptions(files.config, missing, faults)
}

/**
 * Loads a project. Does not open the data.
 *
 * @throws {ConfigError} listing every fault of every file
 * @throws {AppError} USAGE when the folder does not exist or holds no project
 */
export async function loadProject(source: ProjectSource): Promise<Project> {
  const examined = await examineProject(source)
  expectProject(examined)
  examined.faults.throwIfAny()
  return examined.project
}

/**
 * The project with the seed files that its folder has now.
 *
 * @throws {ConfigError} listing the faults of the folder of seeds
 */
export async function withPresentSeeds(project: Project): Promise<Project> {
  const faults = new Faults()
  const seeds = await listSeeds(project.folder, faults)
  const keys = project.registry.public.map(({ key }) => key)
  checkSeedModels(seeds, missingModel(keys, false), faults)
  faults.throwIfAny()
  return { ...project, seeds }
}

/**
 * Rejects a folder without project files: a command in a wrong folder must fail and create nothing there.
 *
 * @throws {AppError} USAGE
 */
export function expectProject({ files: { folder, texts }, faults }: ExaminedProject): void {
  if (texts.size > 0 || faults.any) return
  const remedy = 'name its folder with --project, or create one with `admin init`'
  throw new AppError('USAGE', `There is no project in ${folder}: no models, views or admin.config; ${remedy}`)
}

/** Checks the models of webhook subscriptions. The settings schema checks everything else. */
function checkSubscriptions(config: Definition, missing: MissingModel, faults: Faults): void {
  for (const { value: subscription, path } of subscriptionsIn(config)) {
    const models: unknown = isObject(subscription) ? subscription.models : undefined
    for (const [place, model] of (Array.isArray(models) ? models : []).entries()) {
      const found = typeof model === 'string' ? missing(model) : undefined
      if (found === undefined) continue
      faults.add(config.source, [...path, 'models', place], `${found.message}${found.guess}`, { rule: 'config/invalid' })
    }
  }
}

function compileForms(views: Views, registry: Registry): { forms: ReadonlyMap<string, Form>; faults: Faults } {
  const faults = new Faults('view/invalid')
  const forms = new Map<string, Form>()
  for (const { view, modelKey, source } of views.forms) {
    const { form, problems } = compileForm(view, registry.expect(modelKey))
    for (const { path, message } of problems) {
      faults.add(source, path, message, path[0] === 'rules' || path[2] === 'visible_when' ? { rule: 'view/rule-invalid' } : {})
    }
    forms.set(view.name, form)
  }
  return { forms, faults }
}
