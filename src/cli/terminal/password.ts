import { text } from 'node:stream/consumers'
import { AppError } from '../../errors.ts'
import { ask } from './ask.ts'
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
  const password = await ask(io, 'Password: ', { isHidden: true })
  if ((await ask(io, 'Repeat password: ', { isHidden: true })) !== password)
    throw new AppError('TASK_FAILED', 'The passwords differ; nothing was changed')
  return password
}
