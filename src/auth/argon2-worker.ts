import { randomBytes, timingSafeEqual } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { argon2id } from '@noble/hashes/argon2.js'
import type { Argon2Cost, Argon2Task } from './argon2.ts'

// Entry point of the worker thread that hashes passwords where the native library does not run.

/** Lengths of those that the native library makes, in bytes. */
const SALT_LENGTH = 16
const HASH_LENGTH = 32

/** A hash of argon2id in the PHC string format. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function digest(password: string, salt: Uint8Array, cost: Argon2Cost, length: number): Buffer {
  const { memoryCost: m, timeCost: t, parallelism: p } = cost
  return Buffer.from(argon2id(password, salt, { m, t, p, dkLen: length }))
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

function hash(password: string, cost: Argon2Cost): string {
  const salt = randomBytes(SALT_LENGTH)
  const { memoryCost: m, timeCost: t, parallelism: p } = cost
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${base64(salt)}$${base64(digest(password, salt, cost, HASH_LENGTH))}`
}

/** Returns false for a text that is not a hash of argon2id. */
function verify(stored: string, password: string): boolean {
  const [, m, t, p, salt = '', text = ''] = PHC.exec(stored) ?? []
  const expected = Buffer.from(text, 'base64')
  if (expected.length === 0) return false
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) }
  return timingSafeEqual(digest(password, Buffer.from(salt, 'base64'), cost, expected.length), expected)
}

parentPort?.on('message', (task: Argon2Task) => {
  parentPort?.postMessage(task.kind === 'hash' ? hash(task.password, task.cost) : verify(task.stored, task.password))
})
