import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { DEFAULTS } from '../../src/config/settings.ts'
import { runCli } from '../helpers/cli/cli.ts'
import { parseCommand, runsIn } from '../helpers/cli/commands.ts'
import { readDocument, runDocument } from './document.ts'
import { rowsOf } from './markdown.ts'

const run = promisify(execFile)
const document = readDocument('deployment.md')

runDocument('deployment.md', (shell) => {
  test('systemd accepts the unit, and the CLI accepts its command', async (context) => {
    const file = join(shell().folder, 'shop.service')
    const unit = await readFile(file, 'utf8')
    const [words = []] = runsIn(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '')
    await assert.doesNotReject(parseCommand(words))
    // This machine does not have the user of the page.
    await writeFile(file, unit.replace('User=shop\n', ''))
    const verified = await run('systemd-analyze', ['verify', '--man=no', file]).catch((error: NodeJS.ErrnoException) => error)
    if (verified instanceof Error) {
      assert.equal(verified.code, 'ENOENT', verified.message)
      context.diagnostic('systemd-analyze is not installed')
    } else assert.equal(verified.stderr, '')
  })
})

test('the table lists every setting with its default', () => {
  const rows = rowsOf(document)
  for (const [name, value] of Object.entries({ ...DEFAULTS, secret_key: {} })) {
    const [, defaults = ''] = rows.find(([cell = '']) => cell.includes(`\`${name}\``)) ?? assert.fail(`${name} is missing`)
    if (typeof value !== 'object')
      assert.ok(defaults.includes(`\`${value === '' ? "''" : value}\``), `the default of ${name} is missing`)
  }
})

test('the page names every flag of `admin serve`', async () => {
  const { stdout } = await runCli(['serve', '--help'], { cwd: import.meta.dirname })
  for (const [flag] of stdout.matchAll(/^ {2}--[a-z-]+/gm)) {
    const name = flag.trim()
    assert.ok(document.includes(name), `${name} is missing`)
  }
})
