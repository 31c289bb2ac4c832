import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefusedMail } from '../../src/mail/mail.ts'
import { SmtpTransport } from '../../src/mail/smtp-transport.ts'
import { startMailReceiver } from '../helpers/mail-receiver.ts'

const FROM = 'no-reply@example.com'
const MAIL = { to: 'ann@example.org', subject: 'Hello', text: 'Ann', id: 'one', at: new Date(0) }

const send = (smtp: string, signal = new AbortController().signal) => new SmtpTransport({ from: FROM, smtp }).send(MAIL, signal)

/** An address of this machine that is none of loopback by its name. */
const elsewhere = (port: number) => `smtp://0.0.0.0:${port}`

test('other machines get no mail without TLS', async () => {
  await using receiver = await startMailReceiver([], { tls: false })
  await assert.rejects(
    send(elsewhere(receiver.port)),
    (error) => !(error instanceof RefusedMail) && /STARTTLS/.test(String(error)),
  )
  assert.equal(receiver.seen.length, 0)
  await send(receiver.url)
  assert.equal(receiver.received.length, 1)
})

test('other machines get no mail with a certificate that is not theirs', async () => {
  await using receiver = await startMailReceiver()
  await assert.rejects(send(elsewhere(receiver.port)), /certificate|self.signed/)
  assert.equal(receiver.seen.length, 0)
  await send(receiver.url)
  assert.equal(receiver.received.length, 1)
})

test('an attempt ends when it is aborted, and when no mail server answers', async () => {
  const ending = new AbortController()
  await using receiver = await startMailReceiver([], { onArrival: async () => ending.abort(new Error('The server stops')) })
  await assert.rejects(send(receiver.url, ending.signal))
  await assert.rejects(
    send('smtp://127.0.0.1:9'),
    (error) => !(error instanceof RefusedMail) && /ECONNREFUSED/.test(String(error)),
  )
})
