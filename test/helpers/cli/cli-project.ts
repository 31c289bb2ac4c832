import assert from 'node:assert/strict'
import { copyFixture, type TemporaryFolder } from '../fixture.ts'
import { testsOf } from '../tests-of.ts'
import { runCli } from './cli.ts'
import { type RunningServer, startServer } from './process.ts'

const NOTES = '/api/v1/models/note'

/** Runs the command line in a project. */
export type Admin = (...argv: string[]) => ReturnType<typeof runCli>

/** Runs a test with a copy of the fixture `minimal` and a superuser. */
export async function withProject(body: (project: TemporaryFolder, admin: Admin) => Promise<void>): Promise<void> {
  await using project = await copyFixture('minimal')
  const admin: Admin = (...argv) => runCli(argv, { cwd: project.path, stdin: 'long-enough\n' })
  await admin('users', 'add', 'root', '--email', 'root@example.com', '--superuser', '--password-stdin')
  await body(project, admin)
}

/** Declares such a test. */
export const projectTest = testsOf(withProject)

/** Runs a test while the real program serves a project. */
export async function withServer(project: TemporaryFolder, body: (server: RunningServer) => Promise<void>): Promise<void> {
  await using server = await startServer(['--project', project.path])
  await body(server)
}

/** Creates a note over HTTP. */
export async function makeNote(server: RunningServer, admin: Admin, title: string): Promise<void> {
  const token = (await admin('token')).stdout.trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${server.address}${NOTES}`, { method: 'POST', headers, body: JSON.stringify({ data: { title } }) })
  assert.equal(reply.status, 201, await reply.text())
}
