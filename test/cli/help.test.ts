import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { processIo } from '../../src/cli/io.ts'
import { buildProgram } from '../../src/cli/main.ts'
import { runCli } from '../helpers/cli.ts'

const cwd = import.meta.dirname
const io = { ...processIo(), stdout: { write: () => {} }, stderr: { write: () => {} } }

const named = (command: Command, path: readonly string[] = []): [path: readonly string[], command: Command][] =>
  command.commands.flatMap((each) => {
    const own = [...path, each.name()]
    return [[own, each] as [readonly string[], Command], ...named(each, own)]
  })

/** Runs of `admin` in a line of a shell: what stands between it and what ends a command. */
const runsIn = (line: string): string[][] =>
  [...line.matchAll(/(?:^|[\s(])admin ((?:'[^']*'|[^\s|&;<>)]+)(?: (?:'[^']*'|[^\s|&;<>)#]+))*)?/g)].map(([, words = '']) =>
    words.split(' ').filter((word) => word !== ''),
  )

/** Parses the arguments of a program that does nothing. */
async function parse(argv: readonly string[]): Promise<void> {
  const program = await buildProgram(io)
  for (const [, command] of named(program)) command.action(() => {})
  await program.parseAsync([...argv], { from: 'user' })
}

describe('--help', async () => {
  const commands = named(await buildProgram(io)).filter(([[name]]) => name !== 'complete')

  for (const [path] of commands) {
    test(`of admin ${path.join(' ')} has examples, and they are taken`, async () => {
      const { code, stdout, stderr } = await runCli([...path, '--help'], { cwd })
      assert.deepEqual([code, stderr], [0, ''])
      const [, examples = ''] = /\nExamples?:\n((?: {2}\$ .*\n)+)/.exec(stdout) ?? []
      const runs = examples.split('\n').flatMap(runsIn)
      assert.ok(
        runs.some((words) => path.every((name, at) => words[at] === name)),
        `no example of admin ${path.join(' ')}: ${stdout}`,
      )
      for (const words of runs) await assert.doesNotReject(parse(words), `admin ${words.join(' ')}`)
    })
  }

  test('is how a wrong example would be found', async () => {
    await assert.rejects(parse(['export', 'post', '--formt', 'csv']))
    assert.deepEqual(runsIn('  $ admin a b | gzip > x && A=1 admin c --d e'), [
      ['a', 'b'],
      ['c', '--d', 'e'],
    ])
    assert.deepEqual(runsIn('$ curl -H "Bearer $(admin token)" http://x'), [['token']])
  })
})
