import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { addressIn, type CliResult, runCli } from '../../helpers/cli/cli.ts'
import { type TemporaryFolder, temporaryFolder } from '../../helpers/fixture.ts'

describe('admin init', () => {
  let folder: TemporaryFolder
  let made: CliResult

  before(async () => {
    folder = await temporaryFolder()
    made = await runCli(['init', 'shop'], { cwd: folder.path })
  })
  after(() => folder.remove())

  test('prints the new folder and the next command to stderr', () => {
    assert.equal(made.code, 0)
    assert.match(
      made.stderr,
      /^Created a project in shop\. The password is shown only once; `admin users passwd admin --project shop` changes it\.\nFor completion in editors, install the package .*\nNext: admin serve --project shop --watch\n$/,
    )
  })

  test('--empty makes a project without models, which is served', async () => {
    const { code, stderr } = await runCli(['init', 'bare', '--empty'], { cwd: folder.path })
    assert.equal(code, 0)
    assert.match(stderr, /\nAdd models as files in models\/, .*\nNext: admin serve --project bare --watch\n$/)
    assert.deepEqual((await readdir(join(folder.path, 'bare'))).sort(), ['.gitignore', 'admin.config.yaml', 'data'])
    const lint = await runCli(['lint', '--project', 'bare', '--max-warnings', '0'], { cwd: folder.path })
    assert.equal(lint.code, 0, lint.stdout)
    const served = await runCli(['serve', '--project', 'bare', '--port', '0'], {
      cwd: folder.path,
      async whileRunning(stdout) {
        assert.equal((await fetch(`${addressIn(stdout)}/readyz`)).status, 200)
      },
    })
    assert.equal(served.code, 0, served.stderr)
    const users = await runCli(['export', 'user', '--format', 'ndjson', '--project', 'bare'], { cwd: folder.path })
    assert.equal(users.stdout.trim().split('\n').length, 1)
  })

  test('quotes a folder whose name has a space in the commands that it prints', async () => {
    const { code, stderr } = await runCli(['init', 'my shop'], { cwd: folder.path })
    assert.equal(code, 0)
    assert.match(stderr, /`admin users passwd admin --project 'my shop'` changes it/)
    assert.match(stderr, /\nNext: admin serve --project 'my shop' --watch\n$/)
  })

  test('prints the login of the first superuser, which works on the project as served', async () => {
    const [, username = '', password = ''] = /^username: (\S+)\npassword: (\S{20})\n$/.exec(made.stdout) ?? []
    const served = await runCli(['serve', '--project', 'shop', '--port', '0'], {
      cwd: folder.path,
      async whileRunning(stdout) {
        const api = `${addressIn(stdout)}/api/v1`
        const login = await fetch(`${api}/auth/token`, { method: 'POST', body: new URLSearchParams({ username, password }) })
        assert.equal(login.status, 200)
        const { access_token } = (await login.json()) as { access_token: string }
        const list = await fetch(`${api}/models/article`, { headers: { authorization: `Bearer ${access_token}` } })
        assert.equal(((await list.json()) as { total: number }).total, 2)
      },
    })
    assert.equal(served.code, 0)
  })

  test('keeps the secret to its owner and data out of git', async () => {
    const { mode } = await stat(join(folder.path, 'shop/data/secret'))
    assert.equal(mode & 0o777, 0o600)
    assert.match(await readFile(join(folder.path, 'shop/.gitignore'), 'utf8'), /^data\/$/m)
  })

  test('writes schema comments with the path of the installed package', async () => {
    await using place = await temporaryFolder()
    const firstLine = async (path: string) => (await readFile(join(place.path, path), 'utf8')).split('\n')[0]
    assert.equal((await runCli(['init', 'shop'], { cwd: place.path })).code, 0)
    const usual = '# yaml-language-server: $schema=../node_modules/admin-folder/schemas/model.json'
    assert.equal(await firstLine('shop/models/article.yaml'), usual)
    await mkdir(join(place.path, 'node_modules/admin-folder'), { recursive: true })
    assert.equal((await runCli(['init', 'beside'], { cwd: place.path })).code, 0)
    assert.equal(await firstLine('beside/models/article.yaml'), usual.replace('../', '../../'))
    assert.equal(await firstLine('beside/admin.config.yaml'), usual.replace('model', 'config'))
  })

  test('stores no plain-text password', async () => {
    const [, password = 'none'] = /password: (\S+)/.exec(made.stdout) ?? []
    const data = await readFile(join(folder.path, 'shop/data/db.json'), 'utf8')
    assert.ok(!data.includes(password))
    assert.match(data, /"password":"\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('works beside other files, which stay as they are; a .gitignore gets the missing line', async () => {
    await using place = await temporaryFolder()
    const files = {
      'package.json': '{"name":"site"}',
      'README.md': '# Site',
      '.git/HEAD': 'ref: x',
      '.gitignore': 'node_modules/',
    }
    for (const name of ['.git', 'node_modules/admin-folder']) await mkdir(join(place.path, name), { recursive: true })
    for (const [name, content] of Object.entries(files)) await writeFile(join(place.path, name), content)
    const { code, stderr } = await runCli(['init', '.'], { cwd: place.path })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^Created a project in the current folder\..*\nNext: admin serve --watch\n$/)
    const textOf = (name: string) => readFile(join(place.path, name), 'utf8')
    for (const name of ['package.json', 'README.md', '.git/HEAD'] as const) assert.equal(await textOf(name), files[name])
    assert.match(await textOf('.gitignore'), /^node_modules\/\n# .*\ndata\/\n$/)
    assert.match(await textOf('admin.config.yaml'), /^# yaml-language-server: \$schema=node_modules\/admin-folder\/schemas/)
    assert.equal((await runCli(['lint'], { cwd: place.path })).code, 0)
  })

  test('a .gitignore that ignores data stays as it is', async () => {
    await using place = await temporaryFolder()
    await writeFile(join(place.path, '.gitignore'), '/data\n')
    assert.equal((await runCli(['init', '.'], { cwd: place.path })).code, 0)
    assert.equal(await readFile(join(place.path, '.gitignore'), 'utf8'), '/data\n')
  })

  for (const [what, file, says] of [
    ['settings', 'admin.config.json', /There is already a project in \S+; name another folder/],
    ['models', 'models/tag.yaml', /There is already a project/],
    ['views', 'views/tag.yaml', /There is already a project/],
    ['a seed file of that name', 'seed/article.yaml', /seed\/article\.yaml exists already and is not overwritten/],
    ['a data folder', 'data/db.json', /data exists already and is not overwritten/],
  ] as const) {
    test(`refuses a folder with ${what} and writes nothing`, async () => {
      await using place = await temporaryFolder()
      await mkdir(join(place.path, file, '..'), { recursive: true })
      await writeFile(join(place.path, file), 'mine')
      const { code, stdout, stderr } = await runCli(['init', '.'], { cwd: place.path })
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, says)
      assert.deepEqual(await readdir(place.path), [file.split('/')[0]])
      assert.equal(await readFile(join(place.path, file), 'utf8'), 'mine')
    })
  }

  for (const [what, isInstalled, says] of [
    ['npx admin', true, 'Next: npx admin serve --watch'],
    ['npx --package <tarball> admin', false, 'Next: npx --package … admin serve --watch'],
  ] as const) {
    test(`run by ${what}, prints a next command that starts the same program`, async () => {
      await using place = await temporaryFolder()
      if (isInstalled) await mkdir(join(place.path, 'node_modules/admin-folder'), { recursive: true })
      const { stderr } = await runCli(['init', '.'], { cwd: place.path, env: { npm_command: 'exec' } })
      assert.equal(stderr.trimEnd().split('\n').at(-1), says)
    })
  }

  test('ignores environment variables of another project', async () => {
    const elsewhere = join(folder.path, 'elsewhere')
    const env = { ADMIN_DATA: elsewhere, ADMIN_PORT: 'none', ADMIN_SECRET_KEY: 'too short', ADMIN_PROT: '1' }
    const { code, stderr } = await runCli(['init', 'apart'], { cwd: folder.path, env })
    assert.equal(code, 0, stderr)
    assert.deepEqual((await readdir(join(folder.path, 'apart/data'))).sort(), ['db.json', 'secret'])
    await assert.rejects(stat(elsewhere), { code: 'ENOENT' })
  })

  test('writes nothing if the store of the environment cannot be used', async () => {
    await using place = await temporaryFolder()
    const env = { ADMIN_STORE: 'postgres://admin@127.0.0.1:1/none' }
    const withoutKey = await runCli(['init', '.'], { cwd: place.path, env })
    assert.deepEqual([withoutKey.code, withoutKey.stdout], [1, ''])
    assert.match(withoutKey.stderr, /cannot be reached/)
    const cwd = place.path
    const unreachable = await runCli(['init', 'shop'], { cwd, env: { ...env, ADMIN_SECRET_KEY: 'k'.repeat(32) } })
    assert.match(unreachable.stderr, /cannot be reached/)
    assert.deepEqual(await readdir(join(place.path, 'shop')), ['.gitignore'])
  })

  test('--json prints one object', async () => {
    const { stdout } = await runCli(['init', 'other', '--json'], { cwd: folder.path })
    const { password, ...rest } = JSON.parse(stdout) as Record<string, string>
    assert.deepEqual(rest, { project: join(folder.path, 'other'), username: 'admin' })
    assert.match(password ?? '', /^\S{20}$/)
  })
})
