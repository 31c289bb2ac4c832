import { spawn } from 'node:child_process'
import { AppError } from '../../errors.ts'

/** The program of a platform that opens an address in the default browser. No shell takes part. */
export function browserCommand(address: string, platform: NodeJS.Platform): readonly [program: string, ...string[]] {
  if (platform === 'darwin') return ['open', address]
  // `start` is part of the shell.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address]
  return ['xdg-open', address]
}

/**
 * Opens an address in the default browser. The browser outlives this process. Resolves when the program that opens it has ended.
 *
 * @throws {AppError} TASK_FAILED if it is not installed, or finds no browser
 */
export async function openBrowser(
  address: string,
  platform: NodeJS.Platform,
  command: typeof browserCommand = browserCommand,
): Promise<void> {
  const [program, ...argv] = command(address, platform)
  const fault = await new Promise<string | undefined>((resolve) => {
    const child = spawn(program, argv, { detached: true, stdio: 'ignore' })
    child.on('error', ({ message }) => resolve(message))
    child.on('exit', (code) => resolve(code === 0 ? undefined : `${program} ended with ${code ?? 'a signal'}`))
    child.unref()
  })
  if (fault !== undefined) throw new AppError('TASK_FAILED', `No browser could be opened (${fault}); open ${address} yourself`)
}
