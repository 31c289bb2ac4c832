import { dataFolderOf, hasData } from '../../../app/stores/open-store.ts'
import { AppError } from '../../../errors.ts'
import { lintProject } from '../../../service/project/lint.ts'
import { type ExaminedProject, examineProject, expectProject, type ProjectSource } from '../../../service/project/project.ts'
import type { RemovedModel } from '../../../service/project/removed-models.ts'
import { seedFaults } from '../../../transfer/seed.ts'
import { NODE_VERSIONS } from '../../../util/package-files.ts'
import { counted } from '../../terminal/counted.ts'
import type { Check, CheckName, CheckResult, CheckResults } from './check.ts'
import { dataFolderHealth } from './data-folder.ts'

/** The checks of a project. */
export interface Health {
  readonly checks: readonly Check[]
  readonly examined: ExaminedProject
  /** True if a process holds the data folder. */
  readonly isHeld: boolean
}

/** Checks everything that a server needs and changes nothing. Works while a server runs. */
export async function healthOf(source: ProjectSource): Promise<Health> {
  const examined = await examineProject(source)
  expectProject(examined)
  const { registry, settings } = examined.project
  const { results: ofStore, isHeld } =
    settings.store === 'embedded'
      ? await dataFolderHealth(dataFolderOf(examined.project))
      : { results: await (await import('./database.ts')).databaseHealth(registry, settings, settings.store), isHeld: false }
  const results: CheckResults = {
    node: checkNode(process.versions.node, NODE_VERSIONS),
    config: checkConfig(examined),
    ...ofStore,
    ...(await checkRemoved(examined)),
    lint: await checkLint(source),
  }
  const checks = Object.entries(results).map(([name, result]) => ({ name: name as CheckName, ...result }))
  return { checks, examined, isHeld }
}

/** Compares the version of Node with the required one. @param required `>=20.19` */
export function checkNode(version: string, required: string): CheckResult {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = required.replace('>=', '').split('.').map(Number)
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor)
  if (isEnough) return { level: 'ok', message: version }
  return { level: 'fail', message: `${version} is too old; install ${leastMajor}.${leastMinor} or newer` }
}

function checkConfig({ project, faults }: ExaminedProject): CheckResult {
  const { registry, views, warnings } = project
  const count = faults.list.length
  if (count > 0) return { level: 'fail', message: `${counted(count, 'fault')} in the project's files; run admin lint` }
  if (warnings.length > 0) return { level: 'warn', message: warnings.join('; ') }
  const viewCount = views.grouped.reduce((sum, [, list]) => sum + list.length, 0)
  return { level: 'ok', message: `${counted(registry.public.length, 'model')}, ${counted(viewCount, 'view')}` }
}

/** Names what the data holds of removed models. Left out without data, with faulty models, and if the data cannot be read. */
async function checkRemoved({ project, faults }: ExaminedProject): Promise<CheckResults> {
  try {
    if (faults.any || !(await hasData(project))) return {}
    const { removedModels } = await import('../../../app/stores/removed-models.ts')
    const removed = await removedModels(project)
    if (removed.length === 0) return { models: { level: 'ok', message: 'no records or permissions of removed models' } }
    const message = `${removed.map(leftBehind).join('; ')}: admin doctor --purge removes them`
    return { models: { level: 'warn', message } }
  } catch (error) {
    if (error instanceof AppError) return {}
    throw error
  }
}

/** `'note' is no model any more, and has 3 records and 4 permissions` */
export function leftBehind({ key, records, permissions }: RemovedModel): string {
  const parts = [
    ...(records === 0 && permissions.length > 0 ? [] : [counted(records, 'record')]),
    ...(permissions.length === 0 ? [] : [counted(permissions.length, 'permission')]),
  ]
  return `'${key}' is no model any more, and has ${parts.join(' and ')}`
}

async function checkLint(source: ProjectSource): Promise<CheckResult> {
  const { findings } = await lintProject(source, { cwd: source.folder, seedFaults })
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return { level: 'ok', message: 'no findings' }
  const message = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}; run admin lint`
  return { level: errors > 0 ? 'fail' : 'warn', message }
}
