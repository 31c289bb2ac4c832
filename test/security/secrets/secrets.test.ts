import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApp } from '../../../src/app.ts'
import { AppError } from '../../../src/errors.ts'
import { jwtCodec } from '../../../src/http/jwt-codec.ts'
import { loadProject } from '../../../src/project/project.ts'
import { quickHasher } from '../../helpers/api/app.ts'
import { makeProject } from '../../helpers/fixture.ts'

const GOOD = 'x'.repeat(32)

interface Sources {
  readonly config?: string
  readonly env?: Readonly<Record<string, string>>
  readonly file?: string
}

/** What a start says of its secret; `started` when it has nothing to say. */
async function startWith({ config, env = {}, file }: Sources): Promise<string> {
  const model = 'name: Note\nfields:\n  - { name: title, type: string }\n'
  const files = { 'models/note.yaml': model, ...(config === undefined ? {} : { 'admin.config.yaml': `secret_key: ${config}\n` }) }
  const folder = await makeProject(files)
  try {
    if (file !== undefined) {
      await mkdir(join(folder.path, 'data'), { mode: 0o700 })
      await writeFile(join(folder.path, 'data/secret'), file, { mode: 0o600 })
    }
    const dependencies = { tokenCodec: jwtCodec, hasher: quickHasher }
    const app = await openApp(await loadProject({ folder: folder.path, env, flags: {} }), 'write', dependencies)
    await app.close()
    return 'started'
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.exitCode, 2)
    return error.message
  } finally {
    await folder.remove()
  }
}

describe('a secret that is too short stops the start', () => {
  const rows: readonly (readonly [string, Sources])[] = [
    ['the config, empty', { config: '""' }],
    ['the config, blank', { config: '" "' }],
    ['the config, 31 bytes', { config: 'x'.repeat(31) }],
    ['the config, 31 bytes beside a good file', { config: 'x'.repeat(31), file: GOOD }],
    ['the environment, one byte', { env: { ADMIN_SECRET_KEY: 'x' } }],
    ['the environment, 31 bytes', { env: { ADMIN_SECRET_KEY: 'x'.repeat(31) } }],
    ['the environment, 31 bytes beside a good config', { env: { ADMIN_SECRET_KEY: 'x'.repeat(31) }, config: GOOD }],
    ['data/secret, empty', { file: '' }],
    ['data/secret, a line break', { file: '\n' }],
    ['data/secret, 31 bytes', { file: `${'x'.repeat(31)}\n` }],
  ]
  for (const [name, sources] of rows) {
    test(name, async () => assert.match(await startWith(sources), /secret.*(32 bytes|not allowed to be empty)/i))
  }
})

describe('a secret of 32 bytes does', () => {
  const rows: readonly (readonly [string, Sources])[] = [
    ['the config', { config: GOOD }],
    ['the environment', { env: { ADMIN_SECRET_KEY: GOOD } }],
    ['data/secret', { file: GOOD }],
    ['none, so that one is made', {}],
    ['an empty variable is none, and one is made', { env: { ADMIN_SECRET_KEY: '' } }],
  ]
  for (const [name, sources] of rows) test(name, async () => assert.equal(await startWith(sources), 'started'))
})
