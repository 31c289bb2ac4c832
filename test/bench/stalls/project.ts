import { MEMBER_MODEL } from '../data/members.ts'

/** The members of the bench `stalls`, with links. */
export const PEOPLE_MODEL = `${MEMBER_MODEL}  - { name: tags, type: many_to_many, model: tag }
`

/** Other files of the project: models that large requests refer to, one of them public, and a form with rules. */
export const STALL_FILES: Readonly<Record<string, string>> = {
  'models/tag.yaml': `name: Tag
fields:
  - { name: name, type: string, required: true }
`,
  'models/visit.yaml': `name: Visit
timestamps: true
fields:
  - { name: member_id, type: foreignkey, model: member, on_delete: cascade }
  - { name: reason, type: string }
  - { name: begins, type: integer }
  - { name: ends, type: integer }
`,
  'models/page.yaml': `name: Page
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: body, type: text }
  - { name: data, type: json }
  - { name: tags, type: many_to_many, model: tag }
`,
  'models/ward.yaml': `name: Ward
fields:
  - { name: name, type: string, required: true }
`,
  'models/bed.yaml': `name: Bed
fields:
  - { name: ward_id, type: foreignkey, model: ward, on_delete: restrict }
  - { name: former_ward_id, type: foreignkey, model: ward, on_delete: set_null }
  - { name: number, type: integer }
`,
  'models/notice.yaml': `name: Notice
fields:
  - { name: text, type: text }
access:
  view: public
`,
  'views/visit.yaml': `name: VisitForm
view_type: form
model: Visit
fields:
  - { name: member_id, title: Member, field_type: foreignkey, widget: select }
  - { name: reason, title: Reason, field_type: string, widget: text }
  - { name: begins, title: Begins, field_type: integer, widget: number }
  - { name: ends, title: Ends, field_type: integer, widget: number }
creation_fields: [member_id, reason, begins, ends]
allowed_update_fields: [member_id, reason, begins, ends]
rules:
  - { rule: 'self.begins == null || self.ends == null || self.begins <= self.ends', field: ends, message: A visit ends after it begins }
  - { rule: 'self.reason == null || self.reason.size() > 2', field: reason, message: A reason has three letters }
  - { rule: 'self.reason == null || !self.reason.matches("^[0-9]+$")', field: reason, message: A reason is no number }
`,
}

/** Settings besides those of all benchmarks: each change has a history entry. */
export const STALL_SETTINGS = 'history: { days: 30 }\n'
