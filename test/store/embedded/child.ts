import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** A child process that runs a script, of this folder unless the path is absolute, and exchanges lines with the test. */
export class Child {
  readonly #process: ChildProcess
  readonly #closed: Promise<unknown>
  /** Lines of the child that were not read yet. */
  #text = ''
  #isOver = false
  #wake = () => {}

  constructor(script: string, ...args: readonly string[]) {
    const typescript = script.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
    const command = [...typescript, resolve(import.meta.dirname, script), ...args]
    const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process = child
    this.#closed = once(child, 'close').then(() => {
      this.#isOver = true
      this.#wake()
    })
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#text += chunk
      this.#wake()
    })
    // A killed child reads no more.
    child.stdin.on('error', () => {})
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Sends a line and returns the answer. */
  ask(line: string): Promise<string> {
    this.#process.stdin?.write(`${line}\n`)
    return this.line()
  }

  /** The next line of the child. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end !== -1) {
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return line
      }
      if (this.#isOver) throw new Error('The child has ended')
      await new Promise<void>((wake) => {
        this.#wake = wake
      })
    }
  }

  /** Kills the child and returns its remaining lines. */
  async kill(): Promise<string[]> {
    this.#process.kill('SIGKILL')
    await this.#closed
    const lines = this.#text.split('\n').slice(0, -1)
    this.#text = ''
    return lines
  }
}
