import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, type Scenario, send } from '../../helpers/api/scenario.ts'
import { testsOf } from '../../helpers/tests-of.ts'

const USER = (name: string, more = ''): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024${more} }\n`

const FILES = {
  'models/note.yaml': `name: Note
display_field: title
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: slug, type: slug, unique: true }
  - { name: status, type: choice, choices: [draft, published], default: draft }
  - { name: points, type: integer }
  - { name: owner_id, type: foreignkey, model: user, default: { user: id }, on_delete: set_null }
  - { name: topic_id, type: foreignkey, model: topic }
access:
  view: self.status == 'published' || self.owner_id == user.id || 'editors' in user.groups
  add: authenticated
  change: self.owner_id == user.id || 'editors' in user.groups
  delete: self.owner_id == user.id || 'editors' in user.groups
  rename: self.owner_id == user.id || 'editors' in user.groups
`,
  'actions/rename.yaml': 'model: Note\nname: rename\nset: { title: changed }\n',
  'jobs/tidy.js': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'tidy', input: [{ name: 'word', type: 'string' }], run() {} })
`,
  'package.json': '{ "type": "module" }',
  'models/remark.yaml': `name: Remark
display_field: text
fields:
  - { name: text, type: string, required: true }
  - { name: note_id, type: foreignkey, model: note, required: true, on_delete: cascade }
  - { name: also, type: many_to_many, model: note }
access: { view: public, add: self.note.owner_id == user.id }
`,
  'models/topic.yaml': 'name: Topic\nfields:\n  - { name: name, type: string }\naccess: { view: public }\n',
  'seed/topic.yaml': '- { name: all }\n',
  'seed/group.yaml': '- { id: 1, name: editors }\n',
  'seed/user.yaml': [USER('super', ', is_superuser: true'), USER('owner'), USER('other'), USER('editor', ', groups: [1]')].join(
    '',
  ),
  'seed/note.yaml': `- { title: harbour open, slug: open, status: published, points: 1, owner_id: 2, topic_id: 1 }
- { title: harbour own, slug: own, status: draft, points: 10, owner_id: 2, topic_id: 1 }
- { title: harbour hidden, slug: hidden, status: draft, points: 100, owner_id: 3, topic_id: 1 }
- { title: harbour plain, slug: plain, status: published, points: 1000, owner_id: null, topic_id: 1 }
`,
  'seed/remark.yaml': [1, 2, 3, 4].map((id) => `- { text: remark ${id}, note_id: ${id}, also: [1, 2, 3, 4] }\n`).join(''),
}

/** No token, a user without relation to the notes, the owner of notes 1 and 2, a member of the group, a superuser. */
export const ACTORS = [null, 'other', 'owner', 'editor', 'super'] as const
export type Actor = (typeof ACTORS)[number]

/** The notes of the seed, by id. */
export const NOTES = [1, 2, 3, 4] as const
export type NoteId = (typeof NOTES)[number]

export const POINTS: Readonly<Record<NoteId, number>> = { 1: 1, 2: 10, 3: 100, 4: 1000 }

/** What an actor may do with the notes of the seed. */
export interface Rights {
  readonly seen: readonly NoteId[]
  /** The notes that the actor may change and delete. */
  readonly writable: readonly NoteId[]
}

export function rightsOf(as: Actor): Rights {
  switch (as) {
    case null:
      return { seen: [1, 4], writable: [] }
    case 'other':
      return { seen: [1, 3, 4], writable: [3] }
    case 'owner':
      return { seen: [1, 2, 4], writable: [1, 2] }
    default:
      return { seen: NOTES, writable: NOTES }
  }
}

export const MODELS = '/api/v1/models'

export async function withNotes(work: (app: TestApp) => Promise<void>): Promise<void> {
  await using app = await openTestApp({ files: FILES, settings: { port: 0, history: { days: 90 } } })
  await work(app)
}

/** Declares such a test. */
export const notesTest = testsOf(withNotes)

export const ask = (
  app: TestApp,
  as: Actor,
  request: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Reply> =>
  send(app, {
    request: request as Scenario['request'],
    as,
    ...(typeof body === 'string' ? { rawBody: body } : body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  })

let copies = 0

/** A copy of a note of the seed, in all but its slug, made by a superuser. */
export async function copyOf(app: TestApp, id: NoteId): Promise<{ id: number; slug: string }> {
  const { id: _, created_at, updated_at, owner, topic, ...data } = (await ask(app, 'super', `GET ${MODELS}/note/${id}`)).json.data
  const slug = `copy-${++copies}`
  const made = await ask(app, 'super', `POST ${MODELS}/note`, { data: { ...data, slug } })
  return { id: made.json.data.id, slug }
}
