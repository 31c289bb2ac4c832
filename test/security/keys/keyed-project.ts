import { randomBytes } from 'node:crypto'
import { openTestApp, type TestApp, type TestAppOptions } from '../../helpers/api/app.ts'
import { play, type Reply, type Scenario, send } from '../../helpers/api/scenario.ts'
import { whileTimePasses } from '../../http/events/served.ts'

const user = (name: string, more = ''): string =>
  `- { username: ${name}, email: ${name}@example.org, password: harbour-${name}-2024${more} }\n`

/** A word in everything that no key of these tests has a scope for. */
export const CLASSIFIED = 'classified'

const endpoint = (method: string, path: string, access: string): string =>
  `defineEndpoint({ method: '${method}', path: '${path}', access: ${access}, run: async (_, ctx) => ({ can: ctx.actor?.can('view_person') ?? null, superuser: ctx.actor?.is_superuser ?? null }) })`

const FILES = {
  'models/article.yaml': `name: Article
display_field: title
timestamps: true
fields:
  - { name: title, type: string, required: true }
  - { name: body, type: text }
  - { name: points, type: integer }
  - { name: author_id, type: foreignkey, model: person }
  - { name: owner_id, type: foreignkey, model: user }
  - { name: tags, type: many_to_many, model: tag }
  - { name: attachment, type: file }
`,
  'models/person.yaml': 'name: Person\ndisplay_field: name\nfields:\n  - { name: name, type: string }\n',
  'models/tag.yaml': 'name: Tag\ndisplay_field: name\nfields:\n  - { name: name, type: string }\n',
  'models/memo.yaml': `name: Memo
display_field: text
fields:
  - { name: text, type: text }
access:
  view: { group: editors }
  change: user.username == 'editor'
`,
  'models/open.yaml': 'name: Open\nfields:\n  - { name: text, type: string }\naccess: { view: public, add: authenticated }\n',
  'actions/publish.yaml': 'model: Article\nname: publish\nset: { title: published }\n',
  'endpoints/all.js': `import { defineEndpoint } from 'admin-folder'
export default [
  ${endpoint('GET', '/report', `'authenticated'`)},
  ${endpoint('POST', '/pay', `'authenticated'`)},
  ${endpoint('GET', '/desk', `{ group: 'editors' }`)},
  ${endpoint('POST', '/desk', `{ group: 'editors' }`)},
  ${endpoint('GET', '/reading', `{ permission: 'view_article' }`)},
  ${endpoint('POST', '/removing', `{ permission: 'delete_article' }`)},
  ${endpoint('POST', '/ruling', `'superuser'`)},
  ${endpoint('GET', '/public', `'public'`)},
]
`,
  'jobs/tidy.js': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'tidy', run() {} })
`,
  'package.json': '{ "type": "module" }',
  'seed/group.yaml': '- { id: 1, name: editors }\n',
  'seed/user.yaml': [
    user('super', ', is_superuser: true'),
    user('editor', ', groups: [1]'),
    user('plain'),
    user(CLASSIFIED, ', last_name: classified'),
  ].join(''),
  'seed/person.yaml': '- { name: classified person }\n',
  'seed/tag.yaml': '- { name: classified tag }\n',
  'seed/memo.yaml': '- { text: classified memo }\n- { text: classified second }\n',
  'seed/open.yaml': '- { text: classified to keys }\n',
  'seed/article.yaml': `- { title: harbour, body: boats, points: 1, author_id: 1, owner_id: 4, tags: [1] }
- { title: second, body: harbour, points: 2, author_id: 1, owner_id: 4, tags: [1] }
`,
}

/** The permissions of `editor` beside those of the group: all for articles and people, those to view the others. */
const GRANTS = [
  ...['article', 'person'].flatMap((model) => ['view', 'add', 'change', 'delete'].map((action) => `${action}_${model}`)),
  ...['publish_article', 'view_tag', 'view_user', 'view_savedview'],
]

export async function openKeyed(options: TestAppOptions = {}): Promise<TestApp> {
  const app = await openTestApp({ files: FILES, ...options, settings: { port: 0, history: { days: 90 }, ...options.settings } })
  const { json } = await call(app, 'super', `GET /api/v1/models/permission?page_size=100`)
  const ids = (json.data as { id: number; codename: string }[]).flatMap(({ id, codename }) =>
    GRANTS.includes(codename) ? [id] : [],
  )
  await play(app, { request: 'PUT /api/v1/models/user/2', as: 'super', status: 200, body: { data: { permissions: ids } } })
  // An entry of the history for each article.
  for (const id of [1, 2])
    await play(app, {
      request: `PUT /api/v1/models/article/${id}`,
      as: 'super',
      status: 200,
      body: { data: { points: 10 + id } },
    })
  return app
}

/** Opens a first stream and closes it, so that others are open at once, also where processes share the records. */
export async function beginFollowing(app: TestApp): Promise<void> {
  const sink = { write() {}, backlog: 0, end() {}, destroy() {} }
  const token = await app.tokenOf('super')
  const opened = app.app.events.open({ token, models: undefined, lastEventId: undefined }, () => sink)
  const close = await whileTimePasses(app, opened)
  close()
}

/** Sends a request with a token or a key, or as a user of the project. */
export const call = (
  app: TestApp,
  as: string | null,
  request: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  send(app, {
    request: request as Scenario['request'],
    ...(as?.startsWith('adm_') === true ? { as: null, headers: { authorization: `Bearer ${as}`, ...headers } } : { as, headers }),
    ...(body === undefined ? {} : { body }),
  })

/** A new key of a user. */
export async function keyOf(
  app: TestApp,
  owner: string,
  scopes: readonly string[],
  more: object = {},
): Promise<{ readonly id: number; readonly key: string }> {
  const { json } = await play(app, {
    request: 'POST /api/v1/auth/keys',
    as: owner,
    status: 201,
    body: { name: `a key ${randomBytes(4).toString('hex')}`, scopes, ...more },
  })
  return json.data
}
