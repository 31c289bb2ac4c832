import assert from 'node:assert/strict'
import { type CliOptions, type CliResult, runCli } from '../cli/cli.ts'
import { copyFixture, makeProject, type TemporaryFolder } from '../fixture.ts'
import { newSchema } from './schemas.ts'
import { serverAddress, sharedDatabase } from './server.ts'

/** A key as `openssl rand -base64 32` makes it. */
export const SECRET_KEY = 'm7Jq0cW3v9Zt5RbN1xKf8LpYd2HsGa4EuTiOo6VhQwA='

/** A project whose records are in a schema of the tests' server. */
export interface DatabaseProject extends AsyncDisposable {
  readonly folder: TemporaryFolder
  readonly schema: string
  /** The environment that names the database. */
  readonly env: Readonly<Record<string, string>>
  /** Runs the command line in this process. */
  admin(argv: readonly string[], options?: Partial<CliOptions>): Promise<CliResult>
  remove(): Promise<void>
}

/** Makes a project, from a fixture or from files, without starting it. */
export async function databaseProject(
  from: 'blog' | 'minimal' | Readonly<Record<string, string>>,
  { url }: { readonly url?: string } = {},
): Promise<DatabaseProject> {
  const folder = typeof from === 'string' ? await copyFixture(from) : await makeProject(from)
  const { schema, drop } = newSchema(await sharedDatabase())
  const env = { ADMIN_STORE: url ?? (await serverAddress()), ADMIN_STORE__SCHEMA: schema, ADMIN_SECRET_KEY: SECRET_KEY }
  const remove = async () => {
    await drop()
    await folder.remove()
  }
  return {
    folder,
    schema,
    env,
    admin: (argv, options) => runCli(argv, { cwd: folder.path, stdin: 'long-enough\n', env, ...options }),
    remove,
    [Symbol.asyncDispose]: remove,
  }
}

/** Asserts that a command succeeded. */
export function succeeded({ code, stdout, stderr }: CliResult): string {
  assert.equal(code, 0, stderr)
  return stdout
}
