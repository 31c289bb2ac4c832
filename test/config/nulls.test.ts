import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../src/errors.ts'
import { lintProject } from '../../src/project/lint.ts'
import { seedFaults } from '../../src/transfer/seed.ts'
import { makeProject } from '../helpers/fixture.ts'

const choices = ['a', { value: 'b', label: 'B', color: 'red' }]

/** A small project that uses most keys, one value a file. */
const FILES: Readonly<Record<string, unknown>> = {
  'admin.config.json': {
    ...{ port: 8000, cors: ['http://localhost:5173'], jwt: { algorithm: 'HS256' }, rate_limits: { auth: 5 }, ui: { title: 'A' } },
    webhooks: { subscriptions: [{ url: 'https://hooks.example.com/in', events: ['create'], models: ['shop'] }] },
    ...{ history: { days: 1 }, lint: { rules: { 'view/no-list': 'off' } }, log: { level: 'info' } },
  },
  'models/shop.json': {
    ...{ name: 'Shop', label: 'Shops', display_field: 'name', timestamps: true, group: 'G', icon: 'store' },
    ...{ unique_together: [['name', 'kind']], access: { view: 'public', change: { group: 'editors' } } },
    fields: [
      {
        name: 'name',
        type: 'string',
        label: 'N',
        help_text: 'H',
        required: true,
        min_length: 1,
        pattern: '^a',
        searchable: true,
      },
      { name: 'kind', type: 'choice', choices, default: 'a' },
      { name: 'kinds', type: 'multichoice', choices, default: ['a'] },
      { name: 'price', type: 'decimal', decimal_places: 2, gt: 0, lte: 10, default: '1', mock: { faker: 'commerce.price' } },
      { name: 'owner_id', type: 'foreignkey', model: 'user', on_delete: 'set_null', default: { user: 'id' } },
    ],
  },
  'models/group.json': { extends: 'group', fields: [{ name: 'note', type: 'text', was: 'notes' }] },
  'views/shop.json': [
    {
      ...{ name: 'ShopForm', view_type: 'form', model: 'Shop', use: ['create'], creation_fields: ['name', 'kind'] },
      allowed_update_fields: ['name'],
      groups: [{ title: 'G', fields: ['name'] }],
      rules: [{ rule: 'self.name != ""', field: 'name', message: 'M' }],
      fields: [
        { name: 'name', title: 'N', field_type: 'string', widget: 'text', required: true, visible_when: 'self.kind == "a"' },
        { name: 'kind', title: 'K', default_value: 'a', options: { choices: ['a'] }, error: { message: 'M', code: 'c' } },
      ],
    },
    {
      ...{ name: 'ShopList', view_type: 'list', model: 'Shop', fields: [{ name: 'name', title: 'N' }], page_size: 20 },
      ...{ sort: [{ field: 'name', order: 'asc' }], filters: ['kind'], inline_form: 'ShopForm' },
      ...{ layout: { board: 'kind', calendar: { start: 'created_at', end: 'updated_at', title: 'name' } } },
    },
  ],
  'views/user.json': {
    ...{ name: 'OwnerForm', view_type: 'form', model: 'User', fields: [{ name: 'email', title: 'E' }] },
    related: [
      {
        field: 'shop.owner_id',
        title: 'T',
        columns: ['name'],
        form: 'ShopForm',
        sort: [{ field: 'name', order: 'asc' }],
        limit: 9,
      },
    ],
  },
  'roles/editors.json': { name: 'editors', permissions: ['view_shop'] },
  'seed/shop.json': [{ name: 'a', kind: 'a', kinds: ['a'], price: '1' }],
}

/** Every copy of a value that has null in one place. */
function* withNulls(value: unknown): Generator<unknown> {
  yield null
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const each of withNulls(item)) yield value.with(index, each)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) for (const each of withNulls(item)) yield { ...value, [key]: each }
  }
}

test('null at any place of a project file is accepted, or a fault of that project, never an error of the program', async () => {
  await using project = await makeProject(
    Object.fromEntries(Object.entries(FILES).map(([name, value]) => [name, JSON.stringify(value)])),
  )
  const lint = () => lintProject({ folder: project.path, env: {}, flags: {} }, { cwd: project.path, seedFaults })
  const crashes: string[] = []
  const { findings } = await lint()
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    [],
  )
  for (const [name, value] of Object.entries(FILES)) {
    for (const changed of withNulls(value)) {
      await writeFile(join(project.path, name), JSON.stringify(changed))
      await lint().catch((error: unknown) => {
        if (!(error instanceof AppError))
          crashes.push(`${name}: ${JSON.stringify(changed)}: ${error instanceof Error ? error.stack : String(error)}`)
      })
    }
    await writeFile(join(project.path, name), JSON.stringify(value))
  }
  assert.deepEqual(crashes.slice(0, 5), [])
})
