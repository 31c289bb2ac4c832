import { AppError } from '../../errors.ts'
import { ask } from './ask.ts'
import type { Io } from './io.ts'

/**
 * Asks a question at the terminal. The option `--yes` of a command answers it beforehand.
 *
 * @throws {AppError} TASK_FAILED unless the answer is `y` or `yes`; USAGE without a terminal
 */
export async function confirm(io: Io, question: string): Promise<void> {
  if (io.stdin.isTTY !== true)
    throw new AppError('USAGE', 'Nothing was changed: there is no terminal to ask at; confirm with --yes')
  const answer = await ask(io, `${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new AppError('TASK_FAILED', 'Nothing was changed')
}
