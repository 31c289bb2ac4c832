import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as native from '@node-rs/argon2'
import { argon2InThread } from '../../src/auth/argon2-thread.ts'
import { argon2id, DUMMY_HASH, hasNativeArgon2 } from '../../src/auth/password.ts'
import { ROOT } from '../helpers/fixture.ts'

const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Costs less, since most of what is compared does not depend on it. */
const LOW_COST = { memoryCost: 64, timeCost: 3, parallelism: 2 }

const PASSWORDS = ['correct horse battery staple', 'ä👍\u0000x', '\ud800', '', 'x'.repeat(1024)]

describe('argon2id in JavaScript', () => {
  test('makes the hashes of the native library, and verifies its own', async () => {
    const [made, nativeOne] = [await argon2InThread.hash('a-long-password', COST), await native.hash('a-long-password', COST)]
    const shape = (hash: string) => hash.replace(/[A-Za-z0-9+/]{20,}/g, (text) => String(text.length))
    assert.equal(shape(made), shape(nativeOne))
    assert.equal(await native.verify(made, 'a-long-password'), true)
    assert.equal(await native.verify(made, 'a-long-passwore'), false)
    for (const stored of [made, nativeOne]) {
      assert.equal(await argon2InThread.verify(stored, 'a-long-password'), true)
      assert.equal(await argon2InThread.verify(stored, 'a-long-passwore'), false)
    }
    assert.equal(await argon2InThread.verify(DUMMY_HASH, 'x'), false)
  })

  for (const password of PASSWORDS) {
    test(`each verifies the other's hash of ${JSON.stringify(password.slice(0, 30))}`, async () => {
      assert.equal(await argon2InThread.verify(await native.hash(password, LOW_COST), password), true)
      const made = await argon2InThread.hash(password, LOW_COST)
      assert.equal(await native.verify(made, password), true)
      assert.notEqual(await argon2InThread.hash(password, LOW_COST), made, 'the salt is another')
    })
  }

  for (const stored of ['', 'plain', '$argon2id$', '$argon2id$v=19$m=64,t=3,p=1$!!!$!!!', '$2b$10$abcdefghijklmnopqrstuv']) {
    test(`${JSON.stringify(stored)} is not a hash`, async () => assert.equal(await argon2InThread.verify(stored, 'x'), false))
  }

  test('goes on after a hash that cannot be computed', async () => {
    const hasher = argon2id(async () => argon2InThread)
    const impossible = DUMMY_HASH.replace('m=19456', 'm=1')
    assert.deepEqual(
      await Promise.all([
        hasher.verify(impossible, 'x'),
        argon2InThread.hash('x', LOW_COST).then((hash) => hasher.verify(hash, 'x')),
      ]),
      [false, true],
    )
  })
})

test('the native library runs here', async () => assert.equal(await hasNativeArgon2(), true))

test('a program without the binary of the native library hashes and verifies, and ends', async () => {
  const url = JSON.stringify(pathToFileURL(`${ROOT}/src/auth/password.ts`).href)
  const script = `const { argon2id, hasNativeArgon2 } = await import(${url})
    const { hash, verify } = argon2id()
    const made = await hash('x')
    console.log(await hasNativeArgon2(), await verify(made, 'x'), await verify(made, 'y'), made)`
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script]
  // The library does not load its binary then, and has no other.
  const env = { ...process.env, NAPI_RS_FORCE_WASI: 'error' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  const [isNative, right, wrong, made = ''] = stdout.trim().split(' ')
  assert.deepEqual([isNative, right, wrong], ['false', 'true', 'false'])
  assert.equal(await native.verify(made, 'x'), true)
})
