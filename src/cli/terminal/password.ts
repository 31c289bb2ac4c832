import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { AppError } from '../../errors.ts'
import type { Io } from './io.ts'

/**
 * Gets a new password: the first line of standard input, or asked for twice at a terminal without being shown.
 *
 * @throws {AppError} USAGE when there is no terminal to ask at, TASK_FAILED when the two differ
 */
export async function newPassword(io: Io, fromStdin: boolean): Promise<string> {
  if (fromStdin) {
    const [line = ''] = (await text(io.stdin)).split(/\r?\n/)
    if (line === '') throw new AppError('USAGE', 'Standard input holds no password; pipe one in, or leave out --password-stdin')
    return line
  }
  if (io.stdin.isTTY !== true) throw new AppError('USAGE', 'There is no terminal to ask for a password at; use --password-stdin')
  const password = await ask(io, 'Password: ')
  if ((await ask(io, 'Again: ')) !== password) throw new AppError('TASK_FAILED', 'The two passwords differ; nothing was changed')
  return password
}

async function ask(io: Io, question: string): Promise<string> {
  io.stderr.write(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: io.stdin, output: nowhere, terminal: true })
  const answer = prompt.question('')
  // By Ctrl-C, or by Ctrl-D, of which some versions of Node also say that the question was aborted, and others nothing.
  const interrupted = new Promise<never>((_, reject) => {
    for (const event of ['SIGINT', 'close'] as const) prompt.once(event, () => reject(event))
  })
  try {
    return await Promise.race([answer, interrupted])
  } catch {
    throw new AppError('TASK_FAILED', 'Interrupted; nothing was changed')
  } finally {
    prompt.close()
    io.stderr.write('\n')
  }
}
