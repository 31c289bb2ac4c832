import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { AppError } from '../../errors.ts'
import { explain, listRules } from '../../lint/explain.ts'
import { countBySeverity, type LintResult } from '../../lint/finding.ts'
import { FORMAT_NAMES, type FormatName, REPORT_FORMATS, REPORT_SCHEMA } from '../../lint/formats.ts'
import { isRuleId, RULE_IDS } from '../../lint/rules.ts'
import { lintProject } from '../../project/lint.ts'
import { VERSION } from '../../util/files.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { counted, painter } from '../style.ts'
import { watchFolder } from '../watch.ts'

interface LintOptions {
  readonly project: string
  readonly format: FormatName
  readonly maxWarnings?: number
  readonly failOn: 'error' | 'warn'
  readonly quiet?: boolean
  readonly fix?: boolean
  readonly watch?: boolean
  readonly data?: boolean
  readonly against?: string
  readonly explain?: string | true
  readonly schema?: boolean
}

const HELP = `
Exits 0 when no finding fails the run, 1 when one does, and 2 when lint could not run. An invalid file is a finding.

Examples:
  $ admin lint
  $ admin lint views/article.yaml --format github --max-warnings 0
  $ admin lint --against main
  $ admin lint --explain view/unknown-field
`

/** `admin lint`: reports problems in a project's files. Reads the data only with `--data`, and changes files only with `--fix`. */
export function lintCommand(io: Io): Command {
  return new Command('lint')
    .description('check the models, views and settings of a project')
    .argument('[path...]', 'files or folders to report on (default: the whole project); the whole project is always read')
    .addOption(new Option('--project <dir>', 'project folder').default('.', 'the current folder'))
    .addOption(new Option('--format <format>', 'how to print findings').choices(FORMAT_NAMES).default('pretty'))
    .option('--max-warnings <n>', 'fail when there are more than n warnings', wholeNumber('The maximum', 0))
    .addOption(
      new Option('--fail-on <severity>', 'lowest severity that fails the run').choices(['error', 'warn']).default('error'),
    )
    .option('--quiet', 'print errors only; warnings still count')
    .option('--fix', 'fix findings whose fix does not change what the API accepts, rejects or stores')
    .option('--watch', 'lint again when a file of the project changes')
    .option('--data', 'also validate the stored records against the models')
    .option('--against <version>', 'also report API changes for clients since a git ref or the project in another folder')
    .option('--explain [rule]', 'explain a rule, or list all rules')
    .option('--schema', 'print the JSON Schema of the output of --format json')
    .addHelpText('after', HELP)
    .action(async (paths: string[], options: LintOptions) => {
      if (options.schema === true) io.stdout.write(`${JSON.stringify(REPORT_SCHEMA, null, 2)}\n`)
      else if (options.explain !== undefined) io.stdout.write(explanation(options.explain, io))
      else if (options.watch === true) await watchAndLint(paths, options, io)
      else checkThresholds(await lintOnce(paths, options, io), options)
    })
}

function explanation(id: string | true, io: Io): string {
  if (id === true) return listRules()
  if (!isRuleId(id)) throw new AppError('USAGE', `There is no rule '${id}'${meantOrKnown(id, RULE_IDS)}`)
  return explain(id, painter(io.stdout, io.env))
}

/** Lints the project once and prints the findings. */
async function lintOnce(paths: readonly string[], options: LintOptions, io: Io): Promise<LintResult> {
  const folder = resolve(io.cwd, options.project ?? '.')
  const { against } = options
  // The modules of options are loaded on demand: an editor and a commit hook run lint often, and mostly without them.
  const earlier =
    against === undefined
      ? undefined
      : await (await import('../../project/earlier-version.ts')).earlierVersion(folder, against, io.cwd)
  const stored = options.data === true ? await import('../../app/stored-models.ts') : undefined
  try {
    const report = await lintProject(
      { folder, env: io.env, flags: {} },
      {
        cwd: io.cwd,
        paths: paths.map((path) => resolve(io.cwd, path)),
        fix: options.fix === true,
        ...(earlier && { against: earlier.folder }),
        seedFaults: async (project) =>
          project.seeds.length === 0 ? [] : (await import('../../transfer/seed.ts')).seedFaults(project),
        ...(stored && { brokenRecords: stored.brokenRecords, lostNames: stored.lostNames }),
      },
    ).catch((error: unknown) => {
      throw couldNotRun(error)
    })
    const findings = options.quiet === true ? report.findings.filter(({ severity }) => severity === 'error') : report.findings
    const context = { paint: painter(io.stdout, io.env), version: VERSION, failOn: options.failOn }
    if (options.data === true && !report.checkedRecords) {
      io.stderr.write('The stored records were not checked, since the project has errors that prevent a start.\n')
    }
    io.stdout.write(REPORT_FORMATS[options.format]({ ...report, findings }, context))
    return report
  } finally {
    await earlier?.remove()
  }
}

/** Gives failures of lint itself exit code 2, since 1 means findings. */
function couldNotRun(error: unknown): unknown {
  return error instanceof AppError && error.exitCode !== 2 ? new AppError('USAGE', error.details, { cause: error }) : error
}

/** @throws {AppError} TASK_FAILED when the stored records could not be checked, or the findings exceed `--fail-on` or `--max-warnings` */
function checkThresholds(
  { findings, checkedRecords }: LintResult,
  { failOn, maxWarnings = Infinity, data = false }: LintOptions,
): void {
  const { error, warn } = countBySeverity(findings)
  if (error > 0) throw new AppError('TASK_FAILED', `Lint found ${counted(error, 'error')} and ${counted(warn, 'warning')}`)
  if (failOn === 'warn' && warn > 0)
    throw new AppError('TASK_FAILED', `Lint found ${counted(warn, 'warning')}, which fail the run because of --fail-on warn`)
  if (warn > maxWarnings)
    throw new AppError('TASK_FAILED', `Lint found ${counted(warn, 'warning')}; --max-warnings allows ${maxWarnings}`)
  // A run on some files may have no findings although others have errors.
  if (data && !checkedRecords) throw new AppError('TASK_FAILED', 'Lint could not do what --data asks for')
}

async function watchAndLint(paths: readonly string[], options: LintOptions, io: Io): Promise<void> {
  await lintOnce(paths, options, io)
  const watcher = await watchFolder(resolve(io.cwd, options.project ?? '.'), async () => {
    await lintOnce(paths, options, io).catch((error: unknown) =>
      io.stderr.write(`${error instanceof Error ? error.message : error}\n`),
    )
  })
  try {
    io.stderr.write('Watching for changes; stop with Ctrl+C.\n')
    await io.stopRequested()
  } finally {
    await watcher.close()
  }
}
