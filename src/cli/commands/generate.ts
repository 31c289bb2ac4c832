import { join } from 'node:path'
import { Command } from 'commander'
import { isPrivileged } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import type { Project } from '../../project/project.ts'
import type { ViewDefinition } from '../../views/definition.ts'
import { generateForm, generateList, viewsYaml } from '../../views/generate.ts'
import { SAVED_VIEWS } from '../../views/saved-view-model.ts'
import type { Io } from '../io.ts'
import { makeOutputFolder, refuseExisting, refuseFileName, writeOutput } from '../output-file.ts'
import { modelNamed, type ProjectOptions, withModels, withProject, withProjectOption } from '../project-options.ts'

interface GenerateViewOptions extends ProjectOptions {
  readonly all?: boolean
  readonly form?: boolean
  readonly list?: boolean
  readonly output?: string
  readonly force?: boolean
}

/** `admin generate`: generates files of a project. */
export function generateCommand(io: Io): Command {
  return new Command('generate')
    .description('generate files of a project')
    .addHelpText('after', '\nExample:\n  $ admin generate view post\n')
    .addCommand(viewCommand(io))
}

function viewCommand(io: Io): Command {
  return withProjectOption(new Command('view').description('print valid views of a model in YAML, ready to be edited'))
    .argument('[model]', 'name of the model, such as post')
    .option('--all', 'the forms and lists that are missing, for every model; -o names the folder')
    .option('--form', 'print only the form view')
    .option('--list', 'print only the list view')
    .option('-o, --output <file>', 'write to a new file instead of stdout; with --all, one file a model into this folder')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText(
      'after',
      `
A list has at most eight columns: id, the display field, required fields, then the others. Passwords, JSON and texts of several
lines are left out.

Examples:
  $ admin generate view post -o views/post.yaml
  $ admin generate view --all -o views
`,
    )
    .action((name: string | undefined, options: GenerateViewOptions) => {
      if ((name === undefined) !== (options.all === true))
        throw new AppError('USAGE', 'Name a model, or use --all for every model')
      if (name === undefined && options.output !== undefined) refuseFileName(options.output)
      // A faulty view is not missing, so its fault is reported instead.
      if (name === undefined) return withProject(io, options, (project) => generateAll(io, project, options))
      return withModels(io, options, (project) => {
        const text = viewsYaml(viewsOf(project, modelNamed(project.registry, name.toLowerCase()), options))
        return writeOutput(io, text, options.output, { keep: options.force !== true })
      })
    })
}

/** Writes the views that models lack, but for saved views, which the page edits in its lists: to stdout as one list, or one file a model into the folder of `-o`. */
async function generateAll(io: Io, project: Project, options: GenerateViewOptions): Promise<void> {
  const { output, force = false } = options
  const shownModels = project.registry.public.filter(({ key }) => key !== SAVED_VIEWS)
  const views = shownModels.map((model) => ({ model, made: missingViewsOf(project, model, options) }))
  const files = views.filter(({ made }) => made.length > 0)
  if (files.length === 0) io.stderr.write('No view is missing.\n')
  else if (output === undefined) io.stdout.write(viewsYaml(files.flatMap(({ made }) => made)))
  else {
    const shown = (model: Model) => join(output, fileOf(project, model))
    const folder = await makeOutputFolder(io, output)
    for (const { model } of files) await refuseExisting(join(folder, fileOf(project, model)), { shown: shown(model), force })
    for (const { model, made } of files) await writeOutput(io, viewsYaml(made), shown(model), { keep: !force })
  }
}

/** Name of the file for the missing views. The file `<model>.yaml` may hold the view that a model has. */
function fileOf(project: Project, model: Model): string {
  const [first] = ownViews(project, model)
  if (first === undefined) return `${model.key}.yaml`
  return `${model.key}-${first.view_type === 'form' ? 'list' : 'form'}.yaml`
}

function ownViews({ views }: Project, { key }: Model): readonly ViewDefinition[] {
  return views.grouped.find(([model]) => model === key)?.[1] ?? []
}

function missingViewsOf(project: Project, model: Model, options: GenerateViewOptions): ViewDefinition[] {
  const own = ownViews(project, model)
  return viewsOf(project, model, options).filter((view) => !own.some(({ view_type: type }) => type === view.view_type))
}

function viewsOf({ views }: Project, model: Model, { form = false, list = false }: GenerateViewOptions): ViewDefinition[] {
  const taken = new Set(views.grouped.flatMap(([, own]) => own.map((view) => view.name)))
  const both = form === list
  return [
    ...(form || both ? [generateForm(model, { taken, isPrivileged: (field) => isPrivileged(model, field) })] : []),
    ...(list || both ? [generateList(model, { taken })] : []),
  ]
}
