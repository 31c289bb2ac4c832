import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AppError } from '../errors.ts'
import type { Io } from './io.ts'

/**
 * Asks for a line at the terminal.
 *
 * @param isHidden true for an answer that is not shown
 * @throws {AppError} TASK_FAILED for Ctrl-C, Ctrl-D and the end of the terminal
 */
export async function ask(io: Io, label: string, { isHidden = false } = {}): Promise<string> {
  if (isHidden) io.stderr.write(label)
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (!isHidden) io.stderr.write(String(chunk))
      done()
    },
  })
  const terminal = createInterface({ input: io.stdin, output, terminal: true })
  // The label is the prompt of the line editor, which clears the line before it writes the prompt.
  const entered = terminal.question(isHidden ? '' : label)
  // Ctrl-C emits SIGINT, Ctrl-D emits close. On Ctrl-D, some versions of Node also reject the question and others leave it pending.
  const interrupted = new Promise<never>((_, reject) => {
    for (const event of ['SIGINT', 'close'] as const) terminal.once(event, () => reject(event))
  })
  try {
    const answer = await Promise.race([entered, interrupted])
    if (isHidden) io.stderr.write('\n')
    return answer
  } catch {
    io.stderr.write('\n')
    throw new AppError('TASK_FAILED', 'Interrupted; nothing was changed')
  } finally {
    terminal.close()
  }
}

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
