import { Command } from 'commander'
import { isPrivileged } from '../../../auth/permissions.ts'
import type { Project } from '../../../service/project/project.ts'
import { generateForm, generateList, viewsYaml } from '../../../views/generate.ts'
import { modelNamed, type ProjectOptions, withModels, withProjectOption } from '../../project/project-options.ts'
import type { Io } from '../../terminal/io.ts'
import { writeOutput } from '../../terminal/output-file.ts'

interface GenerateViewOptions extends ProjectOptions {
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
    .argument('<model>', 'name of the model, such as post')
    .option('--form', 'print only the form view')
    .option('--list', 'print only the list view')
    .option('-o, --output <file>', 'write to a new file instead of stdout')
    .option('--force', 'overwrite the file if it exists')
    .addHelpText('after', '\nExample:\n  $ admin generate view post -o views/post.yaml\n')
    .action((name: string, options: GenerateViewOptions) =>
      withModels(io, options, (project) => {
        const text = viewsYaml(viewsOf(project, name, options))
        return writeOutput(io, text, options.output, { keep: options.force !== true })
      }),
    )
}

/** @throws {AppError} TASK_FAILED when there is no such model */
function viewsOf({ registry, views }: Project, name: string, { form = false, list = false }: GenerateViewOptions) {
  const model = modelNamed(registry, name.toLowerCase())
  const taken = new Set(views.grouped.flatMap(([, own]) => own.map((view) => view.name)))
  const both = form === list
  return [
    ...(form || both ? [generateForm(model, { taken, isPrivileged: (field) => isPrivileged(model, field) })] : []),
    ...(list || both ? [generateList(model, { taken })] : []),
  ]
}
