import { startServer } from '../../helpers/process.ts'
import { memberProject } from '../data/project.ts'
import { CONNECTIONS } from '../load/load.ts'
import type { BenchOptions } from '../options.ts'

/**
 * Starts our server, the compiled program, on so many members, does something with it, and stops and removes all of it
 * whatever happens.
 *
 * @throws {Error} of the work; with the server's last words when that is what ended
 */
export async function withMembers<T>(
  records: number,
  { profile }: Pick<BenchOptions, 'profile'>,
  work: (address: string, folder: string) => Promise<T>,
): Promise<T> {
  const project = await memberProject(records, CONNECTIONS)
  const execArgv = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]
  try {
    const server = await startServer(['--project', project.path], { execArgv })
    let failure: { readonly cause: unknown } | undefined
    const result = await work(server.address, project.path).catch((cause: unknown) => {
      failure = { cause }
    })
    const { code, stderr } = await server.stop()
    if (code !== 0) throw new Error(`The server ended with ${code ?? 'a signal'}: ${lastLines(stderr)}`, failure)
    if (failure !== undefined) throw failure.cause
    return result as T
  } finally {
    await project.remove()
  }
}

const lastLines = (text: string): string => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.find((line) => line.includes('FATAL ERROR')) ?? lines.slice(-3).join(' / ')
}
