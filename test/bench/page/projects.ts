import type { Account } from '../../helpers/browser-login.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { MEMBER_MODEL } from '../data/members.ts'

/** Number of generated models, and of the fields of each. */
export const MODELS = 200
export const FIELDS = 40

/** Rows and columns of the list that is scrolled. */
export const ROWS = 100
export const COLUMNS = 20

export const ROOT_ACCOUNT: Account = { username: 'root', password: 'a-password-of-the-benchmarks' }

/** Keys of generated models: one with the generated views, one with a list of many columns. */
export const GENERATED_MODEL = 'model001'
export const WIDE_MODEL = 'model002'

/** The fields of a model repeat these types. */
const TYPES = [
  'type: string, max_length: 100',
  'type: integer',
  'type: boolean',
  'type: date',
  'type: choice, choices: [draft, review, published]',
  'type: decimal, decimal_places: 2',
  'type: text',
  'type: email',
  'type: datetime',
  'type: url',
]

const VALUES = [
  (id: number) => `Name ${id}`,
  (id: number) => id * 7,
  (id: number) => id % 2 === 0,
  (id: number) => `2024-0${(id % 9) + 1}-11`,
  (id: number) => ['draft', 'review', 'published'][id % 3],
  (id: number) => `${id}.50`,
  (id: number) => `Some words about record ${id}. `.repeat(4),
  (id: number) => `person${id}@example.org`,
  (id: number) => `2024-0${(id % 9) + 1}-11T08:30:00Z`,
  (id: number) => `https://example.org/records/${id}`,
]

const number = (index: number) => String(index).padStart(3, '0')
const fieldName = (index: number) => `field_${number(index)}`

function model(index: number): string {
  const next = number((index % MODELS) + 1)
  const plain = Array.from({ length: FIELDS - 2 }, (_, at) => `  - { name: ${fieldName(at)}, ${TYPES[at % TYPES.length]} }`)
  return `name: Model${number(index)}
label: Models ${number(index)}
group: Group ${(index % 10) + 1}
display_field: ${fieldName(0)}
timestamps: true
fields:
${plain.join('\n')}
  - { name: other_id, type: foreignkey, model: Model${next}, on_delete: set_null }
  - { name: others, type: many_to_many, model: Model${next} }
`
}

const wideList = `name: WideList
view_type: list
model: Model002
page_size: ${ROWS}
fields:
${Array.from({ length: COLUMNS }, (_, at) => `  - { name: ${fieldName(at)} }`).join('\n')}
`

const record = (id: number) =>
  Object.fromEntries(Array.from({ length: FIELDS - 2 }, (_, at) => [fieldName(at), VALUES[at % VALUES.length]?.(id)]))

/** A project of many models with many fields. Two of them have records. */
export async function manyModels(): Promise<TemporaryFolder> {
  const models = Array.from(
    { length: MODELS },
    (_, index) => [`models/model${number(index + 1)}.yaml`, model(index + 1)] as const,
  )
  const records = JSON.stringify(Array.from({ length: ROWS }, (_, index) => record(index + 1)))
  const user = JSON.stringify([{ ...ROOT_ACCOUNT, email: 'root@example.org', is_superuser: true }])
  return makeProject({
    ...Object.fromEntries(models),
    'admin.config.yaml': '',
    [`views/${WIDE_MODEL}.yaml`]: wideList,
    [`seed/${GENERATED_MODEL}.json`]: records,
    [`seed/${WIDE_MODEL}.json`]: records,
    'seed/user.json': user,
  })
}

const NOTE_MODEL = `name: Note
label: Notes
display_field: title
fields:
  - { name: title, type: string, required: true, max_length: 100 }
  - { name: member_id, type: foreignkey, model: member, on_delete: set_null }
`

/** A model file: members, and notes that refer to them. */
export const MEMBERS_AND_NOTES = [MEMBER_MODEL, NOTE_MODEL].map((text) => `- ${text.trim().replaceAll('\n', '\n  ')}\n`).join('')
