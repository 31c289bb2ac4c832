import { join } from 'node:path'
import { brokenRecords, lostNames } from '../../src/app/stored-models.ts'
import { openApp } from '../../src/app.ts'
import { jwtCodec } from '../../src/http/jwt-codec.ts'
import type { Finding, LintResult } from '../../src/lint/finding.ts'
import { type Example, unmark } from '../../src/lint/rule.ts'
import { type LintOptions, lintProject } from '../../src/project/lint.ts'
import { loadProject, type Project } from '../../src/project/project.ts'
import { seedFaults } from '../../src/transfer/seed.ts'
import { quickHasher } from '../helpers/api/app.ts'
import { makeProject } from '../helpers/fixture.ts'

/** The models of the rules' examples. */
export const EXAMPLE_MODELS: Readonly<Record<string, string>> = {
  'models/example.yaml': `- name: Post
  fields:
    - { name: title, type: string, required: true, min_length: 3, max_length: 200 }
    - { name: body, type: text }
    - { name: status, type: choice, choices: [draft, published], default: draft }
    - { name: rating, type: number, gte: 0, lte: 5 }
    - { name: views, type: integer, default: 0 }
    - { name: is_featured, type: boolean }
    - { name: published_at, type: datetime }
    - { name: author_id, type: foreignkey, model: user }
    - { name: tags, type: many_to_many, model: tag }
- name: Tag
  fields:
    - { name: name, type: string, required: true }
`,
}

export type Files = Readonly<Record<string, string>>

/** Lints a project of these files, which is removed afterwards. The report names files relative to the project. */
export async function lintFiles(files: Files, options: Partial<LintOptions> = {}): Promise<LintResult> {
  await using project = await makeProject(files)
  return await lintProject({ folder: project.path, env: {}, flags: {} }, { cwd: project.path, seedFaults, ...options })
}

/** Span of a finding: `views/a.yaml:3:5-3:9`. */
export const placeOf = ({ file, line, column, end }: Pick<Finding, 'file' | 'line' | 'column' | 'end'>): string =>
  `${file}:${line}:${column}-${end.line}:${end.column}`

/** A finding as one line, for comparison. */
export const lineOf = (finding: Finding): string => `${placeOf(finding)} ${finding.severity} ${finding.rule}: ${finding.message}`

/** Lints an example of a rule; returns the findings and the marked spans. */
export async function lintExample({ files, before }: Example): Promise<{ report: LintResult; marks: string[] }> {
  const clean: Record<string, string> = { ...EXAMPLE_MODELS }
  const marks: string[] = []
  for (const [file, marked] of Object.entries(files)) {
    const { text, spans } = unmark(marked)
    clean[file] = text
    marks.push(...spans.map((span) => placeOf({ file, ...span })))
  }
  if (before === undefined) return { report: await lintFiles(clean), marks }
  await using earlier = await makeProject({ ...EXAMPLE_MODELS, ...before })
  const isStored = Object.keys(before).some((file) => file.startsWith('seed/'))
  if (!isStored) return { report: await lintFiles(clean, { against: earlier.path }), marks }
  const project = await loadProject({ folder: earlier.path, env: {}, flags: {} })
  const app = await openApp(project, 'write', { tokenCodec: jwtCodec, hasher: quickHasher })
  await app.close()
  const data = join(earlier.path, 'data')
  const withData = (project: Project): Project => ({ ...project, settings: { ...project.settings, data } })
  const options: Partial<LintOptions> = {
    brokenRecords: (project) => brokenRecords(withData(project)),
    lostNames: (project) => lostNames(withData(project)),
  }
  return { report: await lintFiles(clean, options), marks }
}
