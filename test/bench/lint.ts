import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { lintProject } from '../../src/project/lint.ts'
import { makeProject } from '../helpers/fixture.ts'
import { type Figure, median } from './results/figures.ts'

const RUNS = 7
const VIEW_FILES = 1000
const MAX_RATIO = 3

const FIELDS = [
  ['title', 'string', 'text'],
  ['slug', 'slug', 'text'],
  ['body', 'text', 'textarea'],
  ['status', 'choice', 'select'],
  ['rating', 'number', 'number'],
  ['is_featured', 'boolean', 'checkbox'],
  ['published_at', 'datetime', 'datetime'],
  ['author_id', 'foreignkey', 'relation'],
  ['tags', 'many_to_many', 'tags'],
] as const

const EXTRA: Readonly<Record<string, string>> = {
  title: ', required: true',
  status: ', choices: [draft, published], default: draft',
  author_id: ', model: user',
  tags: ', model: user',
}

const MODEL = `name: Post\nfields:\n${FIELDS.map(([name, type]) => `  - { name: ${name}, type: ${type}${EXTRA[name] ?? ''} }\n`).join('')}`

/** A form as a project would contain it. */
const view = (number: number): string => {
  const names = FIELDS.map(([name]) => name).join(', ')
  const fields = FIELDS.map(
    ([name, type, widget]) =>
      `  - { name: ${name}, title: The ${name}, field_type: ${type}, widget: ${widget}, help_text: What it is }\n`,
  )
  return `name: PostForm${number}
view_type: form
model: Post
fields:
  - { name: id, title: ID, field_type: primarykey, readonly: true, disabled: true, is_primary_key: true }
${fields.join('')}creation_fields: [${names}]
allowed_update_fields: [${names}]
rules:
  - { rule: 'self.published_at == null || self.status == "published"', field: published_at, message: Only when it is published }
`
}

/** Compares linting a project with many views to parsing the files of its views with the YAML library. Both run in this process. */
export async function lintBench(): Promise<Figure[]> {
  const list = 'name: PostList\nview_type: list\nmodel: Post\nfields: []\n'
  const files: Record<string, string> = { 'models/post.yaml': MODEL, 'views/list.yaml': list }
  for (let number = 1; number < VIEW_FILES; number++) files[`views/form-${number}.yaml`] = view(number)
  await using project = await makeProject(files)
  const ours: number[] = []
  const bare: number[] = []
  for (let run = 0; run < RUNS; run++) {
    ours.push(await timeOf(() => lintAll(project.path)))
    bare.push(await timeOf(() => parseAll(join(project.path, 'views'))))
  }
  const [figure, baseline] = [median(ours), median(bare)]
  const name = `lint of ${VIEW_FILES} view files, against parsing them`
  const bar = { is: 'at most', ratio: MAX_RATIO } as const
  return [{ bench: 'lint', name, unit: 'ms', ours: figure, baseline, ratio: figure / baseline, bar }]
}

async function lintAll(folder: string): Promise<void> {
  const { findings, files } = await lintProject({ folder, env: {}, flags: {} }, { cwd: folder })
  if (findings.length > 0 || files !== VIEW_FILES + 1) throw new Error(`${findings.length} findings in ${files} files`)
}

async function parseAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) parse(await readFile(join(folder, name), 'utf8'))
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}
