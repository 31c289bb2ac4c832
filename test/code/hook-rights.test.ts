import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hooksOf, type ShopWork, withShop } from '../helpers/code/shop.ts'

const shopTest = (name: string, work: ShopWork, code: Readonly<Record<string, string>>): void => {
  test(name, () => withShop(work, code))
}

const NOTE = {
  'models/note.yaml': `name: Note
access:
  change: self.owner == user.username
fields:
  - { name: owner, type: string }
  - { name: text, type: string, unique: true }
`,
}

describe('what hooks set of the record of the request', () => {
  shopTest(
    'with all rights is free of the conditions of `access`, which hold for what the actor changes',
    async ({ call, all, as }) => {
      await call('POST', 'group', { name: 'Staff', permissions: await as.permissions('view_note', 'change_note') })
      await as.user('lea', 'Staff')
      for (const text of ['a', 'b', 'c', 'd']) await call('POST', 'note', { owner: 'lea', text })
      const put = async (id: number, data: object) => {
        const { status, data: updated } = await call('PUT', `note/${id}`, data, undefined, 'lea')
        return [status, updated?.owner]
      }
      assert.deepEqual(await put(1, { text: 'system' }), [200, 'archive'])
      assert.deepEqual(await put(2, { text: 'moved', owner: 'other' }), [403, undefined])
      assert.deepEqual(await put(3, { text: 'actor' }), [403, undefined])
      assert.deepEqual(await put(4, { text: 'returned' }), [403, undefined])
      const taken = await call('PUT', 'note/2', { text: 'twice' }, undefined, 'lea')
      assert.deepEqual([taken.status, taken.json.detail?.error], [400, { text: ['text must be unique'] }])
      const updates = [2, 3].map((id) => ({ id, data: { text: `system ${id}` } }))
      const bulk = await call('PUT', 'note/bulk', undefined, { updates }, 'lea')
      assert.deepEqual([bulk.status, bulk.data.map(({ owner }: { owner: string }) => owner)], [200, ['archive', 'archive']])
      assert.deepEqual(
        (await all('note')).map(({ owner, text }) => [owner, text]),
        [
          ['archive', 'system'],
          ['archive', 'system 2'],
          ['archive', 'system 3'],
          ['lea', 'd'],
        ],
      )
    },
    {
      ...NOTE,
      ...hooksOf({
        note: `{ beforeUpdate({ record, changed }, tx) {
          if (changed.size > 2) return
          const how = record.text.split(' ')[0]
          if (how === 'twice') tx.system.model('note').update(record.id, { text: 'd' })
          if (how === 'moved') tx.system.model('note').update(record.id, { text: 'by system' })
          if (how === 'system') tx.system.model('note').update(record.id, { owner: 'archive' })
          if (how === 'actor') tx.model('note').update(record.id, { owner: 'archive' })
          if (how === 'returned') return { owner: 'archive' }
        } }`,
      }),
    },
  )

  shopTest(
    'by an action is free of them, but for what its code and hooks write with the rights of the actor',
    async ({ call, all, as }) => {
      const permissions = await as.permissions('view_note', 'change_note', 'close_note')
      await call('POST', 'group', { name: 'Staff', permissions })
      await as.user('lea', 'Staff')
      for (const owner of ['lea', 'max', 'max', 'max', 'max', 'max']) await call('POST', 'note', { owner })
      const close = async (id: number, how: string) =>
        (await call('POST', `note/${id}/actions/close`, undefined, { input: { how } }, 'lea')).status
      const statuses = [await close(1, 'actor'), await close(2, 'actor'), await close(3, 'set'), await close(4, 'system')]
      assert.deepEqual([...statuses, await close(5, 'returned'), await close(6, 'trimmed')], [200, 403, 200, 200, 200, 403])
      assert.deepEqual(
        (await all('note')).map(({ owner, text }) => [owner, text ?? null]),
        [
          ['closed', 'actor 1'],
          ['max', null],
          ['closed', 'set 3'],
          ['closed', 'system 4'],
          ['closed', 'returned 5'],
          ['max', null],
        ],
      )
    },
    {
      ...NOTE,
      'actions/close.ts': `// @ts-nocheck
import { defineAction, defineModel } from 'admin-folder'
const Note = defineModel({ name: 'Note', fields: [{ name: 'owner', type: 'string' }, { name: 'text', type: 'string' }] })
export default defineAction(Note, {
  name: 'close',
  input: [{ name: 'how', type: 'string', required: true }],
  set: { owner: 'closed' },
  run({ records, input: { how }, set }, tx) {
    for (const { id } of records) {
      if (how === 'actor') tx.model('note').update(id, { text: how + ' ' + id })
      if (how === 'set') set({ text: how + ' ' + id })
      if (how === 'system') tx.system.model('note').update(id, { text: how + ' ' + id })
      if (how === 'returned') set({ text: 'to return' })
      if (how === 'trimmed') tx.model('note').update(id, { text: ' trimmed ' })
    }
  },
})
`,
      ...hooksOf({
        note: `{ beforeUpdate({ record }) {
          if (record.text === 'to return') return { text: 'returned ' + record.id }
          if (record.text === ' trimmed ') return { text: 'trimmed' }
        } }`,
      }),
    },
  )

  for (const [name, data] of [
    ['a password', '{ password: "another-password" }'],
    ['is_superuser', '{ is_superuser: true }'],
    ['groups', '{ groups: [] }'],
  ] as const) {
    shopTest(
      `as ${name} is guarded as a write of code, unless \`system\` is written`,
      async ({ call, as }) => {
        await call('POST', 'group', { name: 'Staff', permissions: await as.permissions('view_user', 'change_user') })
        await call('POST', 'group', { name: 'Able', permissions: await as.permissions('delete_user') })
        await as.user('lea', 'Staff')
        await as.user('max', 'Able')
        const [max] = (await call('GET', 'user?filters=username=max')).data
        const statuses: number[] = []
        for (const first_name of ['actor', 'returned', 'system']) {
          statuses.push((await call('PUT', `user/${max.id}`, { first_name }, undefined, 'lea')).status)
        }
        assert.deepEqual(statuses, [403, 403, 200])
        assert.equal((await call('PUT', `user/${max.id}`, { first_name: 'returned' })).status, 200)
      },
      hooksOf({
        user: `{ beforeUpdate({ record, changed }, tx) {
          if (!changed.has('first_name')) return
          if (record.first_name === 'actor') tx.model('user').update(record.id, ${data})
          if (record.first_name === 'system') tx.system.model('user').update(record.id, ${data})
          if (record.first_name === 'returned') return ${data}
        } }`,
      }),
    )
  }
})
