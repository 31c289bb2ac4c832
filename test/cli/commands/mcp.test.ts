import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { addressIn, runCli } from '../../helpers/cli/cli.ts'
import { copyFixture } from '../../helpers/fixture.ts'
import { agentWith } from '../../helpers/mcp/agent.ts'
import { TOOL_NAMES, walkTools } from '../../helpers/mcp/walk.ts'

/** A copy of the fixture `clinic` with its data. */
async function clinic() {
  const project = await copyFixture('clinic')
  assert.equal((await runCli(['users', 'enable', 'admin'], { cwd: project.path })).code, 0)
  return project
}

const ENV = { ADMIN_BASE_PATH: '/shop', ADMIN_ADMIN_PATH: '/desk' }

describe('admin mcp', { concurrency: 2 }, () => {
  test('offers each tool on a project without a server, and leaves the data folder free', async () => {
    await using project = await clinic()
    await using agent = await agentWith(['--project', project.path], { cwd: '/' })
    await walkTools(agent)
    assert.equal((await runCli(['users', 'disable', 'g.adeyemi'], { cwd: project.path })).code, 0)
    assert.equal(agent.stderr(), '')
  })

  test('offers each tool on a server, at another path of its page, under the rights of the token', async () => {
    await using project = await clinic()
    const served = await runCli(['serve', '--port', '0', '--no-rate-limit'], {
      ...{ cwd: project.path, env: ENV },
      async whileRunning(stdout) {
        const tokenOf = async (name: string) =>
          (await runCli(['token', '--user', name], { cwd: project.path, env: ENV })).stdout.trim()
        const url = `${addressIn(stdout)}/shop`
        {
          await using agent = await agentWith(['--url', url], { cwd: '/', env: { ADMIN_TOKEN: await tokenOf('admin') } })
          await walkTools(agent)
        }
        const added = await runCli(['keys', 'add', 'agent', '--user', 'a.yusuf', '--scopes', 'read'], {
          cwd: project.path,
          env: ENV,
        })
        const env = { ADMIN_API_KEY: added.stdout.trim() }
        await using doctor = await agentWith(['--url', url], { cwd: '/', env })
        const { data } = await doctor.call('list_models')
        assert.ok(data.every(({ key }: { key: string }) => key !== 'group' && key !== 'permission'))
        assert.match(await doctor.refusal('lint_project'), /^Insufficient permissions|does not have permission/)
        assert.match(await doctor.refusal('create_record', { model: 'tag', data: {} }), /With tag you may: view/)
      },
    })
    assert.equal(served.code, 0, served.stderr)
  })

  test('works with the server of the project as soon as there is one', async () => {
    await using project = await clinic()
    await using agent = await agentWith([], { cwd: project.path })
    const { total } = await agent.call('list_records', { model: 'tag' })
    const served = await runCli(['serve', '--port', '0'], {
      cwd: project.path,
      async whileRunning() {
        await agent.call('create_record', { model: 'tag', data: { name: 'New', slug: 'new' } })
        assert.equal((await agent.call('list_records', { model: 'tag' })).total, total + 1)
      },
    })
    assert.equal(served.code, 0, served.stderr)
    assert.equal((await agent.call('list_records', { model: 'tag' })).total, total + 1)
    // Calls at once run one after the other, since each needs the data folder.
    const added = ['a', 'b', 'c'].map((name) => agent.call('create_record', { model: 'tag', data: { name, slug: name } }))
    assert.equal((await Promise.all(added)).length, 3)
  })

  test('offers no writes with --read-only, and reaches no other model with --models', async () => {
    await using project = await clinic()
    await using agent = await agentWith(['--read-only', '--models', 'invoice, tag'], { cwd: project.path })
    const { tools } = await agent.client.listTools()
    const writes = ['create_record', 'update_record', 'delete_record', 'run_action']
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOL_NAMES.filter((name) => !writes.includes(name) && name !== 'lint_project'),
    )
    await assert.rejects(agent.client.callTool({ name: 'create_record', arguments: { model: 'tag', data: {} } }), /not found/)
    const { data: models } = await agent.call('list_models')
    assert.deepEqual(
      models.map(({ key }: { key: string }) => key),
      ['invoice', 'tag'],
    )
    assert.equal(
      await agent.refusal('list_records', { model: 'patient' }),
      "There is no model 'patient' that you may use (known: invoice, tag)",
    )
    const { data: invoices } = await agent.call('list_records', { model: 'invoice', limit: 2 })
    assert.deepEqual(Object.keys(invoices[0].patient), ['id'])
    for (const args of [
      { filters: ['patient__name__startswith=A'] },
      { any: ['status=draft|patient__name__startswith=A'] },
      { sort: ['-patient.name'] },
      { fields: ['patient'] },
      { include: ['patient__name'] },
    ]) {
      assert.match(
        await agent.refusal('list_records', { model: 'invoice', ...args }),
        /'patient' leads to a model that you may not use/,
      )
    }
    assert.match(
      await agent.refusal('read_record', { model: 'invoice', id: 1, include: ['invoicelines'] }),
      /Unknown field 'invoicelines'/,
    )
    assert.match(await agent.refusal('aggregate', { model: 'invoice', group_by: ['patient.name'] }), /leads to a model/)
    const { data: hits } = await agent.call('search', { q: 'a' })
    assert.ok(hits.every(({ model }: { model: string }) => model === 'tag' || model === 'invoice'))
  })

  test('with --models names no other model where it tells of what a deletion concerns', async () => {
    await using project = await clinic()
    await writeFile(
      join(project.path, 'actions/strike.ts'),
      `export default {
  model: 'Patient',
  name: 'strike',
  run({ records }, tx) {
    for (const { id } of records) tx.model('patient').delete(id)
  },
}
`,
    )
    await using agent = await agentWith(['--models', 'patient, invoice'], { cwd: project.path })
    const { data: lines } = await agent.call('list_records', { model: 'invoice', fields: ['id', 'patient_id'], limit: 1 })
    const [{ id: invoice, patient_id: patient }] = lines
    const taken = await agent.call('delete_record', { model: 'invoice', id: invoice })
    assert.deepEqual(Object.keys(taken.consequences[0]), ['model', 'action', 'count'])
    assert.ok(taken.consequences[0].model === null && taken.consequences[0].count > 0, JSON.stringify(taken.consequences))
    // Appointments refer to the patient, too.
    const { blocked_by: blocks } = await agent.call('delete_record', { model: 'patient', id: patient })
    const named = blocks.map(({ model, field }: { model: string; field: string }) => [model, field]).sort()
    assert.deepEqual(named, [
      [null, null],
      ['invoice', 'patient_id'],
    ])
    assert.match(
      await agent.refusal('run_action', { model: 'patient', action: 'strike', ids: [patient] }),
      /^Record is referenced: Patient with ID \d+ is referenced by records of models that you may not use; Patient .* by \d+ invoice records? \(patient_id\)$/,
    )
    await using all = await agentWith([], { cwd: project.path })
    assert.match(
      await all.refusal('run_action', { model: 'patient', action: 'strike', ids: [patient] }),
      /is referenced by \d+ appointment records? \(patient_id\)/,
    )
  })

  test('ends at once for a server without a token', async () => {
    const { code, stderr, stdout } = await runCli(['mcp', '--url', 'http://127.0.0.1:9'], { cwd: '/' })
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^error No token for http:\/\/127\.0\.0\.1:9\/api\/v1/)
  })
})

// Alone, since the agents of this process have one console.
describe('admin mcp with a project that prints', () => {
  test('names the faults of a project, and keeps stdout for the protocol', async () => {
    await using project = await clinic()
    await writeFile(
      join(project.path, 'hooks/tag.ts'),
      `import { defineHooks } from 'admin-folder'
export default defineHooks('tag', { beforeCreate({ record }) { console.log('called', record.name) } })
`,
    )
    await using agent = await agentWith([], { cwd: project.path })
    await agent.call('create_record', { model: 'tag', data: { name: 'New', slug: 'new' } })
    assert.match(agent.stderr(), /^called New$/m)
    await writeFile(join(project.path, 'models/other.yaml'), 'name: Other\nfields:\n  - { name: a, type: strng }\n')
    assert.match(await agent.refusal('list_models'), /models\/other\.yaml:3:\d+: .*did you mean 'string'/)
    const { data } = await agent.call('lint_project', { severity: 'error' })
    assert.deepEqual([data[0].file, data[0].line], ['models/other.yaml', 3])
    await writeFile(join(project.path, 'models/other.yaml'), 'name: Other\nfields:\n  - { name: a, type: string }\n')
    assert.equal((await agent.call('describe_model', { model: 'other' })).model.key, 'other')
  })
})
