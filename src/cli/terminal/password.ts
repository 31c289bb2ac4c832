import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AppError } from '../../errors.ts'
import type { Io } from './io.ts'

/**
 * Reads a new password: the first line of standard input, or two identical entries at a terminal, without echo.
 *
 * @throws {AppError} USAGE without a terminal or for empty input, TASK_FAILED when the two entries differ
 */
export async function newPassword(io: Io, fromStdin: boolean): Promise<string> {
  if (fromStdin) {
    const [line = ''] = (await text(io.stdin)).split(/\r?\n/)
    if (line === '') throw new AppError('USAGE', 'Standard input contains no password; pipe one in, or omit --password-stdin')
    return line
  }
  if (io.stdin.isTTY !== true) throw new AppError('USAGE', 'There is no terminal for the password prompt; use --password-stdin')
  const password = await prompt(io, 'Password: ')
  if ((await prompt(io, 'Repeat password: ')) !== password)
    throw new AppError('TASK_FAILED', 'The passwords differ; nothing was changed')
  return password
}

async function prompt(io: Io, label: string): Promise<string> {
  io.stderr.write(label)
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: io.stdin, output: noEcho, terminal: true })
  const entered = terminal.question('')
  // Ctrl-C emits SIGINT, Ctrl-D emits close. On Ctrl-D, some versions of Node also reject the question and others leave it pending.
  const interrupted = new Promise<never>((_, reject) => {
    for (const event of ['SIGINT', 'close'] as const) terminal.once(event, () => reject(event))
  })
  try {
    return await Promise.race([entered, interrupted])
  } catch {
    throw new AppError('TASK_FAILED', 'Interrupted; nothing was changed')
  } finally {
    terminal.close()
    io.stderr.write('\n')
  }
}
