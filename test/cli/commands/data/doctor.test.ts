import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Check } from '../../../../src/cli/project/health/check.ts'
import { checkSpace } from '../../../../src/cli/project/health/data-folder.ts'
import { checkNode } from '../../../../src/cli/project/health/health.ts'
import { withProject } from '../../../helpers/cli/cli-project.ts'

const levels = (stdout: string) =>
  Object.fromEntries((JSON.parse(stdout).checks as Check[]).map(({ name, level }) => [name, level]))

describe('admin doctor', () => {
  test('prints the result of each check in a line', () =>
    withProject(async (_, admin) => {
      const { code, stdout } = await admin('doctor')
      assert.equal(code, 0)
      const [node, config, lock, disk, journal, lint] = stdout.split('\n')
      assert.equal(node, `ok    node     ${process.versions.node}`)
      assert.equal(config, 'ok    config   4 models, 0 views')
      assert.equal(lock, 'ok    lock     no process holds the data')
      assert.match(disk ?? '', /^(ok {2}|warn) {2}disk {5}\d+ MiB free$/)
      assert.equal(journal, 'ok    journal  0 bytes, 0 transactions, complete')
      assert.equal(lint, 'ok    lint     no findings')
      const { checks, sound, tables } = JSON.parse((await admin('doctor', '--json')).stdout)
      assert.deepEqual([checks.length, sound, tables.user], [6, true, 1])
    }))

  test('fails for faulty files and names the command that lists them', () =>
    withProject(async (project, admin) => {
      await writeFile(join(project.path, 'models/other.yaml'), 'name: Other\nfields: [{ name: a, type: strnig }]\n')
      const { code, stdout, stderr } = await admin('doctor')
      assert.equal(code, 1)
      assert.match(stdout, /^fail {2}config {3}1 fault in the project's files; run admin lint$/m)
      assert.match(stdout, /^fail {2}lint {5}1 error, /m)
      assert.equal(stderr, 'error Failed checks: config, lint\n')
      assert.equal(levels((await admin('doctor', '--json')).stdout).config, 'fail')
    }))

  test('warns of an incomplete last write of the journal, and fails for a damaged one', () =>
    withProject(async (project, admin) => {
      const { sequence } = JSON.parse((await admin('doctor', '--json')).stdout)
      await writeFile(join(project.path, `data/journal.${sequence + 1}.log`), '12 torn')
      assert.equal(levels((await admin('doctor', '--json')).stdout).journal, 'warn')
      await writeFile(join(project.path, `data/journal.${sequence + 2}.log`), 'more behind it')
      const { code, stdout } = await admin('doctor', '--json')
      assert.deepEqual([code, levels(stdout).journal], [1, 'fail'])
    }))

  test('fails for an old version of Node', () => {
    const old = { level: 'fail', message: '18.20.1 is too old; install 20.19 or newer' }
    assert.deepEqual(checkNode('18.20.1', '>=20.19'), old)
    assert.equal(checkNode('20.18.9', '>=20.19').level, 'fail')
    for (const version of ['20.19.0', '22.0.0', '24.1.0']) assert.equal(checkNode(version, '>=20.19').level, 'ok', version)
  })

  test('checks free space and write permission', () => {
    assert.deepEqual(checkSpace('/d', 5 * 2 ** 30, true), { level: 'ok', message: '5120 MiB free' })
    assert.equal(checkSpace('/d', 2 ** 29, true).level, 'warn')
    assert.deepEqual(checkSpace('/d', 2 ** 20, true), { level: 'fail', message: '1 MiB free, which is too little to write' })
    assert.match(checkSpace('/d', 2 ** 40, false).message, /^\/d is not writable; /)
  })
})
