import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { forgot, MAIL_SETTINGS } from '../helpers/account-mails.ts'
import { openTestApp } from '../helpers/api/app.ts'
import { startMailReceiver } from '../helpers/mail-receiver.ts'

const until = async (holds: () => boolean | Promise<boolean>, advance: () => void) => {
  for (let turn = 0; turn < 400 && !(await holds()); turn++) {
    advance()
    await new Promise((done) => setTimeout(done, 10))
  }
  assert.ok(await holds())
}

test('a link to set another password arrives by SMTP, at the stored address, in plain text', async () => {
  await using receiver = await startMailReceiver()
  const mail = { ...MAIL_SETTINGS.mail, smtp: receiver.url }
  await using app = await openTestApp({ settings: { ...MAIL_SETTINGS, mail, ui: { title: 'Harbour\nBlog' } } })
  const [user] = await app.app.store.get('user', [3])
  await app.app.begin()
  await forgot(app, String(user?.email).toUpperCase())
  await until(
    () => receiver.received.length > 0,
    () => app.advance(500),
  )
  const [received] = receiver.received
  assert.deepEqual(received?.to, [user?.email])
  assert.equal(received?.field('Subject'), 'Harbour Blog: set a new password')
  assert.match(
    String(received?.content.replace(/=\r\n/g, '').replaceAll('=3D', '=')),
    /http:\/\/127\.0\.0\.1:8000\/admin\/reset-password#token=[\w-]{43}\r\n/,
  )
})

test('without a mail server, on loopback, a mail is a file that only its owner can read', async () => {
  await using app = await openTestApp({ settings: MAIL_SETTINGS, engine: 'embedded' })
  const [user] = await app.app.store.get('user', [3])
  await app.app.begin()
  await forgot(app, user?.email)
  const folder = join(app.folder.path, 'data', 'mail')
  const files = async () => (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
  await until(
    async () => (await files()).length > 0,
    () => app.advance(500),
  )
  const [file = ''] = await files()
  assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600)
})
