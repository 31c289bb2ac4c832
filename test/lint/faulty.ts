import type { Files } from './projects.ts'

/** A project with one fault for each rule that looks at files, so that each rule is reported exactly once for it. */
export const FAULTY: Files = {
  'admin.config.yaml': `port: "8000"
prot: 8000
secret_key: changeme-changeme-changeme-changeme
webhooks:
  - { url: "http://hooks.example.com/in" }
accounts:
  providers:
    - { name: sso, issuer: https://accounts.example.com, client_id: admin, create: true, groups: { claim: teams, map: { eng: Editor } } }
lint: { rules: { view/no-from: off } }
`,
  'seed/note.xml': '',
  'models/note.yaml': `- name: Note
  display_field: titel
  fields:
    - { name: title, type: string, required: true, max_length: 100, was: status }
    - { name: shout, type: string, max_lenght: 5 }
    - { name: size, type: integer, gt: 5, lt: 2 }
    - { name: code, type: string, pattern: "(?=x)" }
    - { name: kind, type: choice, choices: [memo, letter], default: note }
    - { name: status, type: choice, choices: [open, done], default: open }
    - { name: rating, type: number, lte: 5 }
    - { name: place_id, type: foreignkey, model: place }
    - { name: owner_id, type: foreignkey, model: onwer }
    - { name: pin, type: password }
    - { name: logo, type: file, accept: [image/svg+xml], max_size: 2 GiB }
- name: Photo
  fields:
    - { name: picture, type: image, metadata: keep, min_width: 100, thumbnails: { wide: 200x } }
  access: { view: public }
- name: Place
  icon: map-pinn
  fields:
    - { name: latitude, type: number }
    - { name: visit_id, type: foreignkey, model: visit, on_delete: cascade }
  access: { view: self.latitud > 1.0 }
- name: Visit
  fields:
    - { name: text, type: text }
    - { name: place_id, type: foreignkey, model: place, on_delete: cascade }
    - { name: previous_id, type: foreignkey, model: visit, required: true }
`,
  'endpoints/twice.js': `import { defineEndpoint } from 'admin-folder'
export default [
  defineEndpoint({ method: 'GET', path: '/orders/{id}', access: 'public', run: () => 1 }),
  defineEndpoint({ method: 'GET', path: '/orders/{number}', access: 'public', run: () => 2 }),
  defineEndpoint({ method: 'GET', path: 'orders', run: () => 3 }),
  defineEndpoint({ method: 'GET', path: '/a/{b}', input: [{ name: 'x_id', type: 'foreignkey', model: 'plce' }], run: () => 4 }),
]
`,
  'roles/roles.yaml': `- { name: Editors, permisions: [] }
- { name: Readers, permissions: [veiw_note] }
- { name: Writers, permissions: [view_note] }
`,
  'hooks/note.js': `import { defineHooks } from 'admin-folder'
export default defineHooks('note', {
  compute: { rating: () => 1, wieght: () => 2 },
  beforeSave() {},
})
`,
  'jobs/yearly.js': `import { defineJob } from 'admin-folder'
export default defineJob({ name: 'yearly', schedule: '0 0 30 2 *', run() {} })
`,
  'hooks/place.js': `import { defineHooks } from 'admin-folder'
export default defineHooks('palce', { beforeDelete() {} })
`,
  'actions/note.yaml': `- { model: Visit, name: clear, when: self.txt == "a", set: { text: null } }
- { model: Visit, name: clear, set: { text: a } }
`,
  'dashboard.yaml': `panels:
  - { title: Notes, kind: pie, model: Note }
  - { title: Notes, kind: number, model: Nte }
  - { title: Notes, kind: number, model: Note, sum: title }
  - { title: Notes, kind: number, model: Note, link: true }
  - { title: Notes, kind: number, model: Note, sum: rating, avg: rating }
  - { title: Notes, kind: number, model: Note, access: { group: Writer } }
`,
  'views/note.yaml': `- name: NoteForm
  view_type: form
  model: Note
  fields:
    - { name: id, title: ID }
    - { name: status, title: Status, widget: checkbox, readonly: true, options: { choices: [open, closed], labels: { opne: Open } } }
    - { name: rating, title: Rating, field_type: text, default_value: much, options: { lte: 9 } }
    - { name: place_id, title: Place }
    - { name: owner_id, title: Owner }
    - { name: pin, title: PIN, widget: text }
    - { name: title, title: Title, options: { min_length: 200 } }
    - { name: logo, title: Logo, options: { max_files: 2 } }
    - { name: shout, title: Shout }
    - { name: shout, title: Shout }
    - { name: wieght, title: Weight }
  creation_fields: [id, rating, place_id, pin, body]
  allowed_update_fields: [status]
  rules:
    - { rule: self.titel != null, field: status, message: No }
  related: [{ field: note.place_id, columns: [title] }]
- name: NoteForm
  view_type: list
  model: Note
  fields: []
- name: NoteTable
  view_type: table
  model: Note
  fields: []
- name: UserForm
  view_type: form
  model: User
  fields:
    - { name: groups }
  allowed_update_fields: [groups]
  use: [create]
  related: [{ field: note.owner_id, columns: [title], form: NoteFrom }]
- name: PlaceList
  view_type: list
  model: Place
  fields: [{ name: latitude, title: Latitude }]
  actions: [clear]
  sort: [{ field: lattitude }]
  inline_form: PlaceForm
  layout: { board: latitude }
- name: UserList
  view_type: list
  model: User
  fields: [{ name: username, title: Name }]
  filters: [password]
  layout: { calendar: { start: created_at } }
- name: NotesList
  view_type: list
  model: Notes
  fields: []
`,
}
