import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
import type { Io } from './io.ts'

/**
 * Asks a question at the terminal. The option `--yes` of a command answers it beforehand.
 *
 * @throws {AppError} TASK_FAILED unless the answer is `y` or `yes`; USAGE without a terminal
 */
export async function confirm(io: Io, question: string): Promise<void> {
  if (io.stdin.isTTY !== true)
    throw new AppError('USAGE', 'Nothing was changed: there is no terminal to ask at; confirm with --yes')
  io.stderr.write(`${question} [y/N] `)
  const output = new Writable({
    write(chunk, _encoding, done) {
      io.stderr.write(String(chunk))
      done()
    },
  })
  const terminal = createInterface({ input: io.stdin, output, terminal: true })
  const interrupted = new Promise<string>((resolve) => {
    for (const event of ['SIGINT', 'close'] as const) terminal.once(event, () => resolve(''))
  })
  const answer = await Promise.race([terminal.question('').catch(() => ''), interrupted])
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new AppError('TASK_FAILED', 'Nothing was changed')
}
