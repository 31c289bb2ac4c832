// Acquires and releases a lock on command.
import { createInterface } from 'node:readline'
import { AppError } from '../../../../src/errors.ts'
import { acquireLock } from '../../../../src/store/embedded/files/lock.ts'

const path = process.argv[2] ?? ''
let release: (() => Promise<void>) | undefined

async function take(): Promise<string> {
  try {
    release = await acquireLock(path)
    return 'won'
  } catch (error) {
    return error instanceof AppError ? error.code : String(error)
  }
}

async function give(): Promise<string> {
  await release?.()
  release = undefined
  return 'given'
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await (line === 'take' ? take() : give())}\n`)
}
