import { startServer } from '../../helpers/process.ts'
import { memberProject } from '../data/project.ts'
import { reasonOf } from '../figures.ts'
import { CONNECTIONS } from '../load/load.ts'

/**
 * Starts our server, the compiled program, on so many members, does something with it, and stops and removes all of it
 * whatever happens.
 *
 * @param profile a folder that takes a CPU profile of the server
 * @param model the model file, when it is not to be that of every bench
 * @throws {Error} of the work; with the server's last words when it ended by itself
 */
export async function withMembers<T>(
  records: number,
  profile: string | undefined,
  work: (address: string, folder: string, pid: number) => Promise<T>,
  model?: string,
): Promise<T> {
  const project = await memberProject(records, CONNECTIONS, model)
  const execArgv = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  try {
    const server = await startServer(['--project', project.path], { execArgv })
    const [outcome] = await Promise.allSettled([work(server.address, project.path, server.child.pid ?? 0)])
    const { code, stderr } = await server.stop()
    const end = code === 0 ? undefined : new Error(`The server ended with ${code ?? 'a signal'}: ${stderr}`)
    if (outcome.status === 'rejected') throw end ?? outcome.reason
    // What was measured before stays measured.
    if (end !== undefined) process.stderr.write(`  ${reasonOf(end)}\n`)
    return outcome.value
  } finally {
    await project.remove()
  }
}
