import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCli } from '../helpers/cli/cli.ts'
import { commandPaths, parseCommand, runsIn } from '../helpers/cli/commands.ts'

const cwd = import.meta.dirname

describe('--help', async () => {
  for (const path of await commandPaths()) {
    test(`of admin ${path.join(' ')} has examples that parse`, async () => {
      const { code, stdout, stderr } = await runCli([...path, '--help'], { cwd })
      assert.deepEqual([code, stderr], [0, ''])
      const [, examples = ''] = /\nExamples?:\n((?: {2}\$ .*\n)+)/.exec(stdout) ?? []
      const runs = examples.split('\n').flatMap(runsIn)
      assert.ok(
        runs.some((words) => path.every((name, at) => words[at] === name)),
        `no example of admin ${path.join(' ')}: ${stdout}`,
      )
      for (const words of runs) await assert.doesNotReject(parseCommand(words), `admin ${words.join(' ')}`)
    })
  }

  test('the check of examples finds a wrong one', async () => {
    await assert.rejects(parseCommand(['export', 'post', '--formt', 'csv']))
    assert.deepEqual(runsIn('  $ admin a b | gzip > x && A=1 admin c --d e'), [
      ['a', 'b'],
      ['c', '--d', 'e'],
    ])
    assert.deepEqual(runsIn('$ curl -H "Bearer $(admin token)" http://x'), [['token']])
  })
})
