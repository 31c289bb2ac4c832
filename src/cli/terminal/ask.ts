import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { AppError } from '../../errors.ts'
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
