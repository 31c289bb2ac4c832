import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { examineProject } from '../../src/project/project.ts'
import { makeProject } from '../helpers/fixture.ts'

/** The faults of a file of code that exports a definition, as `rule message`. */
async function faultsOf(file: string, exported: string): Promise<readonly string[]> {
  const text = `import { defineEndpoint, defineJob } from 'admin-folder'\nexport default ${exported}\n`
  await using folder = await makeProject({
    'models/tag.yaml': 'name: Tag\nfields: [{ name: name, type: string }]\n',
    [file]: text,
  })
  const { faults } = await examineProject({ folder: folder.path, env: {}, flags: {} })
  return faults.list.map(({ rule, message }) => `${rule} ${message}`)
}

const endpoint = (members: string) =>
  [`endpoints/a.js`, `defineEndpoint({ method: 'GET', path: '/a', run: () => 1, ${members} })`] as const
const job = (members: string) => [`jobs/a.js`, `defineJob({ name: 'a', run: () => 1, ${members} })`] as const

describe('a fault of an endpoint or a job names the key and a remedy', () => {
  const rows = [
    [endpoint('run: 5'), "code/invalid 'run' must be a function"],
    [job('run: "x"'), "code/invalid 'run' must be a function"],
    [
      endpoint("access: { permission: 'chnge_tag' }"),
      "code/invalid There is no permission 'chnge_tag'; did you mean 'change_tag'?",
    ],
    [endpoint("access: { permission: 'view_tag', group: 'A' }"), "code/invalid 'access' takes one of permission, group"],
    [endpoint('access: {}'), "code/invalid 'access' takes one of permission, group"],
    [job("timeout: '0s'"), "code/invalid 'timeout' must be more than 0s, and at most 24h"],
    [job("timeout: '25h'"), "code/invalid 'timeout' must be more than 0s, and at most 24h"],
    [
      job("input: [{ name: 'pin', type: 'password' }]"),
      "code/invalid The input of a job is stored and listed, so 'pin' cannot be a password; pass the id of a record",
    ],
    [
      endpoint("input: [{ name: 'scan', type: 'image' }]"),
      "code/invalid The input 'scan' cannot be of type 'image', since files are uploaded for fields of models; take the id of an upload as type 'string', and set a file field of a model to it",
    ],
    [
      job("input: [{ name: 'scans', type: 'file', multiple: true }]"),
      /^code\/invalid The input 'scans' cannot be of type 'file', since files are uploaded for fields of models; take the id/,
    ],
    [job("schedule: '2099-01-01T00:00:00'"), /'2099-01-01T00:00:00' is no pattern of a schedule, .* a date comes once/],
    [job("schedule: '0 0 6 1 1 * 2099'"), /'0 0 6 1 1 \* 2099' is no pattern of a schedule, .*5 or 6 parts/],
  ] as const
  for (const [[file, exported], expected] of rows) {
    test(exported, async () => {
      const [fault = 'no fault', ...others] = await faultsOf(file, exported)
      assert.deepEqual(others, [])
      if (typeof expected === 'string') assert.equal(fault, expected)
      else assert.match(fault, expected)
    })
  }
})

test('the output of an endpoint may have files', async () => {
  const [file, exported] = endpoint("output: [{ name: 'scan', type: 'file' }]")
  assert.deepEqual(await faultsOf(file, exported), [])
})
