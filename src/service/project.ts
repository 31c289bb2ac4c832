import { AUTH_MODELS } from '../auth/models.ts'
import { Faults } from '../config/fault.ts'
import { type ProjectFiles, readProjectFiles, type SeedFile } from '../config/project-files.ts'
import { resolveSettings, type Settings, type SettingsInput } from '../config/settings.ts'
import { flatSource } from '../config/source.ts'
import { buildRegistry, type DefinedModel } from '../model/build.ts'
import type { Registry } from '../model/registry.ts'
import { didYouMean } from '../util/suggest.ts'
import { compileForm, type Form } from '../validate/form.ts'
import { buildViews, type Views } from '../views/views.ts'

/** A project folder, understood: nothing in it is known to be wrong. */
export interface Project {
  readonly folder: string
  readonly settings: Settings
  readonly registry: Registry
  readonly views: Views
  /** Forms by name, which is their `form_id`. */
  readonly forms: ReadonlyMap<string, Form>
  readonly seeds: readonly SeedFile[]
  /** What is not wrong, but probably not meant. */
  readonly warnings: readonly string[]
}

/** Where a project is and what overrides its settings. */
export interface ProjectSource {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: SettingsInput
}

/** A project folder as far as it can be understood, and what is wrong with it. */
export interface Examined {
  /** Whole when there are no faults; otherwise without what is faulty. */
  readonly project: Project
  readonly faults: Faults
  readonly files: ProjectFiles
  /** The project's own models, with their places. */
  readonly models: readonly DefinedModel[]
}

/**
 * Reads a project without touching its data, and finds everything that keeps it from being served.
 *
 * @throws {AppError} USAGE when there is no such folder
 */
export async function examineProject({ folder, env, flags }: ProjectSource): Promise<Examined> {
  const { files, faults } = await readProjectFiles(folder)
  const { settings, faults: settingFaults, warnings } = resolveSettings(files.config, env, flags)
  const { registry, defined, faults: modelFaults } = buildRegistry(files.models, AUTH_MODELS)
  const { views, faults: viewFaults } = buildViews(files.views, registry)
  const { forms, faults: formFaults } = compileForms(views, registry)
  for (const found of [settingFaults, modelFaults, viewFaults, formFaults]) faults.addAll(found.list)
  const keys = registry.public.map((model) => model.key)
  for (const { model, file } of files.seeds) {
    if (!keys.includes(model)) faults.add(flatSource(file), [], `There is no model '${model}' to seed${didYouMean(model, keys)}`)
  }
  const project = { folder, settings, registry, views, forms, seeds: files.seeds, warnings }
  return { project, faults, files, models: defined }
}

/**
 * Loads a project without touching its data.
 *
 * @throws {ConfigError} listing every fault of every file
 * @throws {AppError} USAGE when there is no such folder
 */
export async function loadProject(source: ProjectSource): Promise<Project> {
  const { project, faults } = await examineProject(source)
  faults.throwIfAny()
  return project
}

function compileForms(views: Views, registry: Registry): { forms: ReadonlyMap<string, Form>; faults: Faults } {
  const faults = new Faults('view/invalid')
  const forms = new Map<string, Form>()
  for (const { view, modelKey, source } of views.forms) {
    const { form, problems } = compileForm(view, registry.expect(modelKey))
    for (const { path, message } of problems) {
      faults.add(source, path, message, path[0] === 'rules' ? { rule: 'view/rule-invalid' } : {})
    }
    forms.set(view.name, form)
  }
  return { forms, faults }
}
