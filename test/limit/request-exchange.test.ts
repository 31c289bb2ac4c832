import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExchangedWindow, RequestExchange, type RequestLog } from '../../src/limit/shared-limits.ts'
import { fakeTime } from '../helpers/time.ts'

const START = 1_000_000
const LIMIT = 5

/** A log in memory, and processes that share it. Exchanges take no time. */
function makeShared() {
  const time = fakeTime(START)
  const batches: { key: string; at: number; caller: string; count: number; process: number }[] = []
  let [exchanges, processes, fails] = [0, 0, false]
  const open = (maxCallers?: number) => {
    const process = processes++
    const log: RequestLog = {
      async exchange({ added, wanted, since, windowMs }) {
        if (fails) throw new Error('unreachable')
        const [now, key] = [time.clock(), `${exchanges++}`]
        const asked = batches.filter(
          (batch) =>
            (wanted.includes(batch.caller) && batch.at > now - windowMs) ||
            (since !== undefined && batch.at >= since && batch.process !== process),
        )
        for (const [caller, count] of added) batches.push({ key, at: now, caller, count, process })
        return { now, key, batches: asked }
      },
    }
    const exchange = new RequestExchange({ log, windowMs: 60_000, ...time, ...(maxCallers === undefined ? {} : { maxCallers }) })
    const window = new ExchangedWindow(exchange, 'default', LIMIT)
    /** Sends requests and counts those that are allowed. */
    const send = async (count: number, caller = 'ann'): Promise<number> => {
      let allowed = 0
      for (let sent = 0; sent < count; sent++) if ((await window.take(caller)).allowed) allowed++
      return allowed
    }
    return { exchange, window, send }
  }
  /** Lets time pass, and what it causes. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 50) {
      time.advance(Math.min(50, milliseconds - passed))
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
  }
  const fail = (value: boolean) => {
    fails = value
  }
  return { time, open, pass, exchanges: () => exchanges, fail }
}

describe('requests that two processes count', () => {
  test('are those of both after 250 ms', async () => {
    const { open, pass } = makeShared()
    const [one, other] = [open(), open()]
    assert.equal(await one.send(3), 3)
    assert.equal(await other.send(1), 1)
    await pass(250)
    assert.equal(await one.send(3), 1)
    await pass(250)
    assert.equal(await other.send(3), 0)
  })

  test('are known before the first request of a caller', async () => {
    const { open, pass } = makeShared()
    const [one, other] = [open(), open()]
    assert.equal(await one.send(9), LIMIT)
    await pass(100)
    assert.equal(await other.send(9), 0)
  })

  test('are known again after a pause', async () => {
    const { open, pass } = makeShared()
    const [one, other] = [open(), open()]
    for (const pause of [1000, 10_000]) {
      await pass(61_000)
      assert.equal(await other.send(1), 1)
      await pass(pause)
      assert.equal(await one.send(9), LIMIT - 1)
      await pass(100)
      assert.equal(await other.send(9), 0)
    }
  })

  test('leave the window after a minute', async () => {
    const { open, pass } = makeShared()
    const [one, other] = [open(), open()]
    await one.send(2)
    await pass(30_000)
    await other.send(3)
    await pass(29_500)
    assert.equal(await one.send(1), 0)
    await pass(700)
    assert.equal(await one.send(9), 2)
    await pass(250)
    assert.equal(await other.send(9), 0)
  })

  test('are counted once, though several exchanges report them', async () => {
    const { open, pass } = makeShared()
    const [one, other] = [open(), open()]
    await one.send(1)
    for (let round = 0; round < 3; round++) {
      await pass(100)
      await other.send(1, `other ${round}`)
      await one.send(1, `one ${round}`)
    }
    assert.equal((await Promise.resolve(other.window.take('ann'))).remaining, LIMIT - 2)
  })

  test('cost no exchange while none arrive', async () => {
    const { open, pass, exchanges } = makeShared()
    const one = open()
    await one.send(1)
    await pass(1000)
    const before = exchanges()
    await pass(10_000)
    assert.equal(exchanges(), before)
  })

  test('wait for no exchange while they arrive', async () => {
    const { open, pass } = makeShared()
    const one = open()
    await one.send(1)
    for (let round = 0; round < 20; round++) {
      await pass(50)
      assert.ok(!(one.window.take('ann') instanceof Promise))
    }
  })

  test('are not lost when an exchange fails, and are refused while none succeeds', async () => {
    const { open, pass, fail } = makeShared()
    const [one, other] = [open(), open()]
    await one.send(2)
    fail(true)
    await pass(500)
    await assert.rejects(async () => one.window.take('ann'), /unreachable/)
    fail(false)
    assert.equal(await one.send(1), 1)
    await pass(250)
    assert.equal(await other.send(9), 2)
  })

  test('are told when a process ends', async () => {
    const { open } = makeShared()
    const [one, other] = [open(), open()]
    await one.send(4)
    await one.exchange.close()
    assert.equal(await other.send(9), 1)
  })

  test('of callers that are not known any more are asked for again', async () => {
    const { open, pass } = makeShared()
    const one = open(10)
    assert.equal(await one.send(9), LIMIT)
    for (let caller = 0; caller < 50; caller++) await one.send(1, `caller ${caller}`)
    await pass(100)
    assert.equal(await one.send(9), 0)
  })
})
