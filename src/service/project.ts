import { AUTH_MODELS } from '../auth/models.ts'
import { Faults } from '../config/fault.ts'
import { readProjectFiles, type SeedFile } from '../config/project-files.ts'
import { resolveSettings, type Settings, type SettingsInput } from '../config/settings.ts'
import { flatSource } from '../config/source.ts'
import { buildRegistry } from '../model/build.ts'
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

/**
 * Loads a project without touching its data.
 *
 * @throws {ConfigError} listing every fault of every file
 * @throws {AppError} USAGE when there is no such folder
 */
export async function loadProject({ folder, env, flags }: ProjectSource): Promise<Project> {
  const { files, faults } = await readProjectFiles(folder)
  const { settings, faults: settingFaults, warnings } = resolveSettings(files.config, env, flags)
  const { registry, faults: modelFaults } = buildRegistry(files.models, AUTH_MODELS)
  const { views, faults: viewFaults } = buildViews(files.views, registry)
  const { forms, faults: formFaults } = compileForms(views, registry)
  for (const found of [settingFaults, modelFaults, viewFaults, formFaults]) faults.addAll(found.list)
  const keys = registry.public.map((model) => model.key)
  for (const { model, file } of files.seeds) {
    if (!keys.includes(model)) faults.add(flatSource(file), [], `There is no model '${model}' to seed${didYouMean(model, keys)}`)
  }
  faults.throwIfAny()
  return { folder, settings, registry, views, forms, seeds: files.seeds, warnings }
}

function compileForms(views: Views, registry: Registry): { forms: ReadonlyMap<string, Form>; faults: Faults } {
  const faults = new Faults()
  const forms = new Map<string, Form>()
  for (const { view, modelKey, source } of views.forms) {
    const { form, problems } = compileForm(view, registry.expect(modelKey))
    for (const { path, message } of problems) faults.add(source, path, message)
    forms.set(view.name, form)
  }
  return { forms, faults }
}
