import assert from 'node:assert/strict'
import type { Agent } from './agent.ts'

/** The names of all tools. */
export const TOOL_NAMES = [
  ...['list_models', 'describe_model', 'list_records', 'read_record', 'search', 'aggregate'],
  ...['create_record', 'update_record', 'delete_record', 'run_action', 'lint_project', 'explain_rule'],
]

/** Calls each tool on a copy of the fixture `clinic` as a superuser: what it answers, and what is stored. */
export async function walkTools({ client, call, refusal }: Agent): Promise<void> {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    TOOL_NAMES,
  )

  const { data: models } = await call('list_models')
  assert.deepEqual(
    models.find(({ key }: { key: string }) => key === 'tag'),
    {
      key: 'tag',
      label: 'Tags',
      can: ['view', 'add', 'change', 'delete'],
      count: models.find((each: { key: string }) => each.key === 'tag').count,
      searchable: true,
    },
  )
  const described = await call('describe_model', { model: 'invoice' })
  assert.equal(described.model.display_field, 'number')
  assert.equal(described.actions[0].name, 'mark_as_paid')
  assert.equal(described.actions[0].input[0].name, 'payment_method')
  const patient = described.data.find(({ name }: { name: string }) => name === 'patient_id')
  assert.deepEqual(patient.relation, { name: 'patient', model: 'patient', on_delete: 'restrict' })
  assert.deepEqual((await call('describe_model', { model: 'invoiceline', fields: ['position'] })).unique_together, [
    ['invoice_id', 'position'],
  ])
  assert.match(
    await refusal('describe_model', { model: 'invoise' }),
    /^There is no model 'invoise' .*; did you mean 'invoice'\?$/,
  )

  const drafts = await call('list_records', {
    ...{ model: 'invoice', filters: ['status=draft'], fields: ['number', 'status'], sort: ['-number'], limit: 1 },
  })
  assert.deepEqual(Object.keys(drafts.data[0]), ['id', 'number', 'status'])
  assert.deepEqual(drafts.next, { offset: 1 })
  // The right name for a wrong one: in filters, in the fields of a read, of a write, and among the arguments.
  assert.match(
    await refusal('list_records', { model: 'invoice', filters: ['statsu=draft'] }),
    /Unknown field 'statsu' of invoice; did you mean 'status'\?/,
  )
  assert.match(await refusal('list_records', { model: 'invoice', sort: ['nmber'] }), /did you mean 'number'\?/)
  assert.match(await refusal('read_record', { model: 'tag', id: 1, fields: ['nam'] }), /did you mean 'name'\?/)
  assert.match(
    await refusal('create_record', { model: 'tag', data: { nmae: 'x' }, dry_run: true }),
    /'nmae' is no field; did you mean 'name'\?/,
  )
  assert.match(
    await refusal('list_records', { model: 'tag', filter: ['id=1'] }),
    /^Unknown argument 'filter'; did you mean 'filters'\?$/,
  )
  assert.equal(await refusal('list_records', {}), "The argument 'model' is missing; it is a text")
  assert.equal(
    await refusal('list_records', { model: 'tag', limit: 1000 }),
    "The argument 'limit' must be a whole number from 1 to 100",
  )

  const created = await call('create_record', { model: 'tag', data: { name: 'Zebra crossing', slug: 'zebra' } })
  const { id } = created.data
  assert.equal(created.message, 'Created')
  const tried = await call('create_record', { model: 'tag', data: { name: 'Second', slug: 'second' }, dry_run: true })
  assert.match(tried.message, /^Nothing was changed/)
  assert.equal((await call('list_records', { model: 'tag', filters: ['slug=second'] })).total, 0)
  assert.match(await refusal('create_record', { model: 'tag', data: { name: 'x' } }), /slug: slug is mandatory/)

  const updated = await call('update_record', { model: 'tag', id, data: { description: 'Black, white' }, if_match: created.etag })
  assert.equal(updated.data.description, 'Black, white')
  assert.match(
    await refusal('update_record', { model: 'tag', id, data: { name: 'y' }, if_match: created.etag }),
    /^Precondition failed/,
  )
  const read = await call('read_record', { model: 'tag', id })
  assert.equal(read.etag, updated.etag)
  assert.equal((await call('update_record', { model: 'tag', id, data: { name: 'Y' }, dry_run: true })).data.name, 'Y')
  assert.equal((await call('read_record', { model: 'tag', id, fields: ['name'] })).data.name, 'Zebra crossing')

  const everywhere = await call('search', { q: 'zebra' })
  assert.deepEqual(
    { ...everywhere.data[0], score: 0 },
    { model: 'tag', id, label: 'Zebra crossing', score: 0, matched: ['name', 'slug'] },
  )
  const found = await call('search', { q: 'zebra', model: 'tag', fields: ['slug'] })
  assert.deepEqual(found.data[0].excerpts, { name: 'Zebra crossing', slug: 'zebra' })
  assert.deepEqual(found.data[0].record, { slug: 'zebra' })

  const totals = await call('aggregate', { model: 'invoice', group_by: ['status'], sum: ['total_amount'], count: true })
  assert.ok(
    totals.data.some(({ group, count }: { group: { status: string }; count: number }) => group.status === 'draft' && count > 0),
  )

  // A deletion is two calls: what it does, and the deletion of just that.
  const shown = await call('delete_record', { model: 'tag', id })
  assert.match(shown.message, /^Nothing was deleted\. To delete/)
  assert.deepEqual([shown.consequences, shown.blocked_by], [[], []])
  await call('update_record', { model: 'tag', id, data: { name: 'Changed since' } })
  const outdated = await call('delete_record', { model: 'tag', id, confirm: shown.confirm })
  assert.match(outdated.message, /^Nothing was deleted: the record or the consequences are not those/)
  assert.match(
    (await call('delete_record', { model: 'tag', id, confirm: outdated.confirm, dry_run: true })).message,
    /^Nothing was deleted/,
  )
  assert.equal((await call('delete_record', { model: 'tag', id, confirm: outdated.confirm })).message, 'Deleted')
  assert.match(await refusal('read_record', { model: 'tag', id }), /^Record not found/)
  const [{ patient_id: referred }] = (await call('list_records', { model: 'invoice', limit: 1 })).data
  const blocked = await call('delete_record', { model: 'patient', id: referred })
  assert.ok(blocked.blocked_by.length > 0 && blocked.confirm === undefined)

  const [{ id: sent }] = (await call('list_records', { model: 'invoice', filters: ['status=sent'], fields: ['id'], limit: 1 }))
    .data
  const action = { model: 'invoice', action: 'mark_as_paid', ids: [sent], input: { payment_method: 'card' } }
  assert.match((await call('run_action', { ...action, dry_run: true })).message, /^Nothing was changed/)
  assert.equal((await call('read_record', { model: 'invoice', id: sent })).data.status, 'sent')
  await call('run_action', action)
  assert.equal((await call('read_record', { model: 'invoice', id: sent })).data.status, 'paid')
  assert.match(
    await refusal('run_action', { ...action, action: 'mark_paid' }),
    /has no action 'mark_paid'; did you mean 'mark_as_paid'\?$/,
  )

  assert.equal((await call('lint_project')).summary.errors, 0)
  assert.match((await call('explain_rule', { rule: 'view/unknown-field' })).text, /did|name/)
  assert.match(await refusal('explain_rule', { rule: 'view/unknown-feld' }), /did you mean 'view\/unknown-field'\?$/)
  assert.ok((await call('explain_rule')).rules > 20)
}
