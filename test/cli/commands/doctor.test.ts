import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checkImages, checkNode, checkPasswords, checkSpace } from '../../../src/cli/health.ts'
import type { Check } from '../../../src/cli/health-check.ts'
import { loadProject } from '../../../src/project/project.ts'
import { withProject } from '../../helpers/cli/cli-project.ts'

const levels = (stdout: string) =>
  Object.fromEntries((JSON.parse(stdout).checks as Check[]).map(({ name, level }) => [name, level]))

describe('admin doctor', () => {
  test('prints the result of each check in a line', () =>
    withProject(async (_, admin) => {
      const { code, stdout } = await admin('doctor')
      assert.equal(code, 0)
      const [node, config, lock, disk, journal, models, lint] = stdout.split('\n')
      assert.equal(node, `ok    node     ${process.versions.node}`)
      assert.equal(config, 'ok    config   5 models, 0 views')
      assert.equal(lock, 'ok    lock     no process holds the data')
      assert.match(disk ?? '', /^(ok {2}|warn) {2}disk {5}\d+ MiB free$/)
      assert.equal(journal, 'ok    journal  0 bytes, 0 transactions, complete')
      assert.equal(models, 'ok    models   no records or permissions of removed models')
      assert.equal(lint, 'ok    lint     no findings')
      const { checks, sound, tables } = JSON.parse((await admin('doctor', '--json')).stdout)
      assert.deepEqual([checks.length, sound, tables.user], [7, true, 1])
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

  test('names the records and permissions of removed models; --purge removes them after a question', () =>
    withProject(async (project, admin) => {
      await writeFile(join(project.path, 'models/other.yaml'), 'name: Other\nfields: [{ name: a, type: string }]\n')
      await admin('mock', 'other', 'note', '--count', '3')
      // Codenames of the project's own, which look like those of a model.
      const own = 'codename,name\r\nview_reports,See the reports\r\n'
      await writeFile(join(project.path, 'permission.csv'), own)
      assert.equal((await admin('import', 'permission', 'permission.csv')).code, 0)
      assert.equal((await admin('users', 'add', 'ann', '--email', 'a@example.com', '--password-stdin')).code, 0)
      assert.equal((await admin('users', 'grant', 'ann', 'view_other', 'view_note')).code, 0)
      await rm(join(project.path, 'models/other.yaml'))
      const warning = "'other' is no model any more, and has 3 records and 4 permissions"
      const { code, stdout } = await admin('doctor')
      assert.equal(code, 0)
      assert.ok(stdout.includes(`warn  models   ${warning}: admin doctor --purge removes them\n`), stdout)
      const codenames = 'view_other, add_other, change_other, delete_other'
      const words = 'This deletes them. If a model was renamed, keep its records by `was` in its file instead\n'
      const refused = await admin('doctor', '--purge')
      assert.equal(refused.code, 2)
      assert.match(refused.stderr, /error Nothing was changed: .* confirm with --yes\n$/)
      assert.ok((await admin('doctor')).stdout.includes(warning), 'nothing is removed without an answer')
      const done = await admin('doctor', '--purge', '--yes')
      assert.deepEqual([done.code, done.stderr], [0, `${warning}: ${codenames}\n${words}Deleted 3 records and 4 permissions\n`])
      const after = JSON.parse((await admin('doctor', '--json')).stdout)
      assert.equal((after.checks as Check[]).find(({ name }) => name === 'models')?.level, 'ok')
      assert.deepEqual([after.tables.other, after.tables.note, after.tables.permission], [undefined, 3, 21])
      assert.match((await admin('users', 'show', 'ann')).stdout, /view_note/)
      assert.match((await admin('doctor', '--purge')).stderr, /^Nothing to remove: /)
    }))

  test('does not take a faulty or a renamed model for a removed one', () =>
    withProject(async (project, admin) => {
      await admin('mock', 'note', '--count', '1')
      const path = join(project.path, 'models/note.yaml')
      const sound = await readFile(path, 'utf8')
      await writeFile(path, 'name: Note\nfields: [{ name: a, type: strnig }]\n')
      assert.equal('models' in levels((await admin('doctor', '--json')).stdout), false)
      assert.equal((await admin('doctor', '--purge', '--yes')).code, 2)
      await writeFile(path, sound.replace(/^name: Note$/m, 'name: Memo\nwas: Note'))
      assert.equal((await admin('serve', '--port', '0')).code, 0)
      assert.match((await admin('doctor', '--purge', '--yes')).stderr, /^Nothing to remove: /)
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

  test('says that fields of images need sharp, if the project has some', () =>
    withProject(async (project, admin) => {
      assert.equal(levels((await admin('doctor', '--json')).stdout).images, undefined)
      await writeFile(join(project.path, 'models/photo.yaml'), 'name: Photo\nfields: [{ name: picture, type: image }]\n')
      assert.match((await admin('doctor')).stdout, /^ok {4}images {3}sharp is installed, for 1 field$/m)
      const source = { folder: project.path, env: {}, flags: {} }
      const { registry } = await loadProject(source)
      assert.deepEqual(checkImages(registry.public, false), {
        images: {
          level: 'warn',
          message: '1 field of images without sharp: uploads are refused; run npm install sharp',
        },
      })
    }))

  test('warns where passwords are hashed without the native library, and says nothing elsewhere', () => {
    assert.deepEqual(checkPasswords(true), {})
    const { passwords } = checkPasswords(false)
    assert.equal(passwords?.level, 'warn')
    assert.match(String(passwords?.message), /install without --omit=optional$/)
  })

  test('checks free space and write permission', () => {
    assert.deepEqual(checkSpace('/d', 5 * 2 ** 30, true), { level: 'ok', message: '5120 MiB free' })
    assert.equal(checkSpace('/d', 2 ** 29, true).level, 'warn')
    assert.deepEqual(checkSpace('/d', 2 ** 20, true), { level: 'fail', message: '1 MiB free, which is too little to write' })
    assert.match(checkSpace('/d', 2 ** 40, false).message, /^\/d is not writable; /)
  })
})
