import { existsSync, lstatSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, posix, relative, resolve, sep } from 'node:path'
import { isPrivileged } from '../auth/permissions.ts'
import { applyEdits } from '../config/apply-edits.ts'
import type { Fault } from '../config/fault.ts'
import type { ProjectFiles } from '../config/project-files.ts'
import type { TextEdit } from '../config/source.ts'
import { AppError } from '../errors.ts'
import type { Finding, LintResult } from '../lint/finding.ts'
import type { BrokenRecord, LintProject, LostName } from '../lint/project.ts'
import { RULE_IDS } from '../lint/rules.ts'
import { lint } from '../lint/run.ts'
import type { Registry } from '../model/registry.ts'
import { isObject } from '../util/json.ts'
import { nearest } from '../util/suggest.ts'
import { ruleProblems } from '../validate/rule-problems.ts'
import { type ExaminedProject, examineProject, expectProject, type ProjectSource } from './project.ts'

/** Options of a lint run. */
export interface LintOptions {
  /** Paths in the report are relative to this folder. */
  readonly cwd: string
  /** Absolute files and folders to report on; the whole project when empty. */
  readonly paths?: readonly string[]
  /** Applies fixes that do not change the API. */
  readonly fix?: boolean
  /** Folder of an earlier version to compare with. */
  readonly against?: string
  /** Finds seed records that cannot be created. Called only if the project has no faults that prevent a start. */
  readonly seedFaults?: (project: ExaminedProject['project']) => Promise<readonly Fault[]>
  /** Finds stored records that break their model. Called only if the project has no faults that prevent a start. */
  readonly brokenRecords?: (project: ExaminedProject['project']) => Promise<readonly BrokenRecord[]>
  /** Finds stored names that may be former names. Called only if the project has no faults that prevent a start. */
  readonly lostNames?: (project: ExaminedProject['project']) => Promise<readonly LostName[]>
}

/** A fix may enable another one; this bounds the rounds. */
const MAX_ROUNDS = 10

/**
 * Lints a project.
 *
 * @throws {AppError} USAGE when the folder or a path does not exist, the folder holds no project, or the earlier version has
 *   faults
 */
export async function lintProject(source: ProjectSource, options: LintOptions): Promise<LintResult> {
  const { folder } = source
  for (const path of options.paths ?? []) checkPath(path, folder)
  const before = options.against === undefined ? undefined : await earlierVersion({ ...source, folder: options.against })
  let fixed = 0
  for (let round = 1; ; round++) {
    const examined = await examineProject(source)
    const { project, faults, files } = examined
    const sound = !faults.any
    expectProject(examined)
    const records = sound ? await options.brokenRecords?.(project) : undefined
    const lostNames = sound ? await options.lostNames?.(project) : undefined
    if (sound) faults.addAll((await options.seedFaults?.(project)) ?? [])
    const found = lint(
      { ...lintable(examined), ...(records && { records }), ...(lostNames && { lostNames }) },
      faults.list,
      before,
    )
    const findings = found.filter(({ file }) => isWithin(resolve(folder, file), options.paths ?? []))
    const applied = options.fix === true && round < MAX_ROUNDS ? await applyFixes(folder, findings) : 0
    fixed += applied
    if (applied > 0) continue
    const shown = (file: string) =>
      lstatSync(join(folder, file), { throwIfNoEntry: false }) !== undefined || files.texts.has(file)
        ? showPath(options.cwd, join(folder, file))
        : file
    return {
      findings: findings.map((finding) => ({ ...finding, file: shown(finding.file) })),
      files: files.texts.size,
      fixed,
      checkedRecords: records !== undefined,
      texts: new Map([...files.texts].map(([file, text]) => [shown(file), text])),
    }
  }
}

const showPath = (from: string, path: string): string => relative(from, path).split(sep).join(posix.sep)

function lintable({ project, files, models, faults }: ExaminedProject): LintProject {
  return {
    config: files.config,
    maxFileBytes: project.settings.files.max_size,
    groups: project.seeds.some(({ model }) => model === 'group') ? undefined : project.roles.map(({ name }) => name),
    registry: project.registry,
    models,
    views: project.views.all,
    actions: project.actions.all,
    endpoints: project.endpoints.map(({ method, path, access, source }) => ({
      ...{ method, path, source },
      isPublic: access === 'public',
    })),
    dashboard: files.dashboard,
    roles: project.roles.map(({ name }) => name),
    intendedViews: intendedViews(files, project.registry, faults.list),
    texts: files.texts,
    ruleIds: RULE_IDS,
    ruleProblems,
    isPrivileged,
  }
}

/** The views of the project as far as they can be read. An unreadable file counts as a view of unknown model and type. */
function intendedViews(files: ProjectFiles, registry: Registry, faults: readonly Fault[]): LintProject['intendedViews'] {
  const names = registry.public.map(({ name }) => name)
  const unread = faults.filter(({ rule, position: { file } }) => rule === 'file/invalid' && file.startsWith(`views${sep}`))
  const told = files.views.map(({ value }) => {
    const { model, view_type: kind } = isObject(value) ? value : {}
    const meant = typeof model !== 'string' ? undefined : names.includes(model) ? model : nearest(model, names)
    return { ...(meant !== undefined && { model: meant }), ...((kind === 'form' || kind === 'list') && { kind }) }
  })
  return [...told, ...unread.map(() => ({}))]
}

async function earlierVersion(source: ProjectSource): Promise<LintProject> {
  const examined = await examineProject(source)
  if (examined.faults.any) {
    const [first] = examined.faults.list
    throw new AppError('USAGE', `The version to compare with cannot be served itself: ${first?.position.file}: ${first?.message}`)
  }
  return lintable(examined)
}

function checkPath(path: string, folder: string): void {
  if (!existsSync(path)) throw new AppError('USAGE', `There is no ${path}; name files or folders of the project`)
  if (!isWithin(path, [folder])) {
    throw new AppError('USAGE', `${path} is not in the project folder ${folder}; name the project with --project`)
  }
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.length === 0 || folders.some((folder) => path === folder || path.startsWith(folder + sep))
}

/** @returns number of applied fixes; of overlapping edits one is applied, the others wait for the next round */
async function applyFixes(folder: string, findings: readonly Finding[]): Promise<number> {
  const byFile = new Map<string, TextEdit[]>()
  for (const { fix } of findings) if (fix !== undefined) byFile.set(fix.file, [...(byFile.get(fix.file) ?? []), fix])
  let count = 0
  for (const [file, edits] of byFile) {
    const path = join(folder, file)
    const { text, applied } = applyEdits(await readFile(path, 'utf8'), edits)
    if (applied > 0) await writeFile(path, text)
    count += applied
  }
  return count
}
