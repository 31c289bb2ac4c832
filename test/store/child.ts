import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Another process that runs a script of this folder and is spoken to in lines. */
export class Child {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #closed: Promise<unknown>

  constructor(script: string, ...args: readonly string[]) {
    const command = ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, script), ...args]
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = child
    this.#closed = once(child, 'close')
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    // A child that is killed reads no more.
    child.stdin.on('error', () => {})
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Says a line and returns the answer. */
  ask(line: string): Promise<string> {
    this.#process.stdin?.write(`${line}\n`)
    return this.line()
  }

  /** The next line that the child says. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('The child has ended')
    return value
  }

  /** Ends the child without warning, and returns what it still had said. */
  async kill(): Promise<string[]> {
    this.#process.kill('SIGKILL')
    const rest: string[] = []
    for (let next = await this.#lines.next(); next.done !== true; next = await this.#lines.next()) rest.push(next.value)
    await this.#closed
    return rest
  }
}
