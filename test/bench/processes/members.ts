import { ADMIN_BIN, startServer } from '../../helpers/cli/process.ts'
import { memberProject, type ProjectOptions } from '../data/project.ts'
import { CONNECTIONS } from '../load/load.ts'
import { reasonOf } from '../results/figures.ts'

/** How the project and the server differ from those of most benchmarks. */
interface MembersOptions extends ProjectOptions {
  /** Number of superusers. */
  readonly users?: number
  /** Path of another build of the program. */
  readonly bin?: string
  /** Arguments of Node.js. */
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs `work` with our server, the compiled program, on a project with the given number of members. Always stops the server and removes
 * the project afterwards.
 *
 * @param profile a folder for a CPU profile of the server
 * @throws {Error} the error of `work`, or one with the stderr of the server if it failed
 */
export async function withMembers<T>(
  records: number,
  profile: string | undefined,
  work: (address: string, folder: string, pid: number) => Promise<T>,
  { users = CONNECTIONS, bin = ADMIN_BIN, execArgv = [], env = {}, ...options }: MembersOptions = {},
): Promise<T> {
  await using project = await memberProject(records, users, options)
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  const server = await startServer(['--project', project.path], { execArgv: [...execArgv, ...profiling], env, bin })
  const [outcome] = await Promise.allSettled([work(server.address, project.path, server.child.pid ?? 0)])
  const { code, stderr } = await server.stop()
  const end = code === 0 ? undefined : new Error(`The server ended with ${code ?? 'a signal'}: ${stderr}`)
  if (outcome.status === 'rejected') throw end ?? outcome.reason
  // The results were measured before the server failed, so they are kept.
  if (end !== undefined) process.stderr.write(`  ${reasonOf(end)}\n`)
  return outcome.value
}
