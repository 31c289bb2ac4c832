import { copyFixture, temporaryFolder } from '../fixture.ts'
import { addressIn, type CliOptions, type CliResult, runCli } from './cli.ts'

/** Where a project's data may be when a command asks for it. */
export const SITUATIONS = ['while no process holds the data', 'beside a server', 'with a server elsewhere'] as const

export type Situation = (typeof SITUATIONS)[number]

/** Runs a command; words with spaces in them stand in an array. */
export type Run = (line: string | readonly string[], options?: Partial<CliOptions>) => Promise<CliResult>

/** Does something with the blog in one of these situations. @param work is given the project folder, too */
export async function inSituation(situation: Situation, work: (run: Run, path: string) => Promise<void>): Promise<void> {
  const project = await copyFixture('blog')
  const elsewhere = await temporaryFolder()
  const runIn =
    (cwd: string, env: CliOptions['env'] & {}): Run =>
    (line, options) =>
      runCli(typeof line === 'string' ? line.split(' ') : line, { cwd, env, ...options })
  const here = runIn(project.path, {})
  try {
    // The first start makes the data.
    await here('import tag - --format csv --dry-run', { stdin: 'name,slug\n' })
    if (situation === 'while no process holds the data') return await work(here, project.path)
    const served = await here('serve --port 0 --no-rate-limit', {
      async whileRunning(stdout) {
        if (situation === 'beside a server') return work(here, project.path)
        const env = { ADMIN_URL: addressIn(stdout), ADMIN_TOKEN: (await here('token')).stdout.trim() }
        return work(runIn(elsewhere.path, env), elsewhere.path)
      },
    })
    if (served.code !== 0) throw new Error(served.stderr)
  } finally {
    await project.remove()
    await elsewhere.remove()
  }
}
