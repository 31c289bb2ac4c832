import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { withShop } from '../helpers/code/shop.ts'
import { type MailReceiver, startMailReceiver } from '../helpers/mail-receiver.ts'

type Shop = Parameters<Parameters<typeof withShop>[0]>[0]

const HOOK = {
  'hooks/order.ts': `// @ts-nocheck
import { defineHooks, refuse } from 'admin-folder'
export default defineHooks('order', {
  async beforeCreate({ record }, tx) {
    await tx.mail(globalThis.mail)
    if (record.quantity === 13) refuse('Unlucky')
  },
  validate: ({ record }) => (record.quantity === 14 ? { quantity: 'Too many' } : undefined),
})
`,
}

const MAIL = { to: 'ann@example.org', subject: 'Grüße aus dem Laden', text: 'Your order is on its way.\n.\nBye' }

const order = (quantity: number) => ({ product_id: 1, quantity, price: 1 })

/** A shop whose hook sends `MAIL` to a receiver for each order. */
const withMail = async (
  work: (shop: Shop, receiver: MailReceiver) => Promise<void>,
  answers: Parameters<typeof startMailReceiver>[0] = [],
) => {
  await using receiver = await startMailReceiver(answers)
  const config = `mail: { from: 'Pen & Ink <no-reply@example.com>', smtp: '${receiver.url}' }\n`
  Object.assign(globalThis, { mail: MAIL })
  await withShop((shop) => work(shop, receiver), { ...HOOK, 'admin.config.yaml': config })
}

const api = async ({ app }: Shop, method: 'GET' | 'POST', path: string, payload?: object) => {
  const authorization = `Bearer ${await app.tokenOf('admin')}`
  const reply = await app.server.inject({
    ...{ method, url: `/api/v1/${path}`, headers: { authorization } },
    ...(payload && { payload }),
  })
  return { status: reply.statusCode, json: JSON.parse(reply.payload) }
}

test('a mail of a hook is stored with the record, and sent once after the commit', () =>
  withMail(async (shop, receiver) => {
    const { app, call, all, until } = shop
    const created = await call('POST', 'order', order(2))
    assert.equal(created.status, 201, created.text)
    assert.equal(receiver.received.length, 0)
    const [stored] = await all('queuedjob')
    assert.deepEqual([stored.name, stored.status, stored.input], ['admin.mail', 'waiting', MAIL])
    await app.app.begin()
    await until(async () => (await all('queuedjob'))[0].status === 'done')
    const [mail, ...others] = receiver.received
    assert.deepEqual([mail?.from, mail?.to, others], ['no-reply@example.com', ['ann@example.org'], []])
    assert.equal(mail?.field('From'), '"Pen & Ink" <no-reply@example.com>')
    assert.equal(mail?.field('To'), 'ann@example.org')
    assert.equal(mail?.field('Subject'), '=?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_dem_Laden?=')
    assert.equal(mail?.field('Message-ID'), `<${stored.key}@example.com>`)
    assert.equal(mail?.field('Auto-Submitted'), 'auto-generated')
    assert.match(mail?.content ?? '', /\r\n\r\nYour order is on its way\.\r\n\.\r\nBye\r\n$/)
    // The text is for the receiver only.
    const listed = await api(shop, 'GET', 'jobs?name=admin.mail')
    assert.deepEqual(listed.json.data[0].input, { to: MAIL.to, subject: MAIL.subject })
    // Nor is it kept when it was sent, so the mail cannot be sent again.
    const [sent] = await all('queuedjob')
    assert.deepEqual(sent.input, { to: MAIL.to, subject: MAIL.subject })
    const again = await api(shop, 'POST', `jobs/${sent.id}/retry`)
    assert.deepEqual([again.status, again.json.details], [409, `Mail ${sent.id} was sent; its text is gone`])
  }))

test('a refused write, an invalid one and a dry run send no mail', () =>
  withMail(async ({ call, all }) => {
    assert.equal((await call('POST', 'order', order(13))).status, 400)
    assert.equal((await call('POST', 'order', order(14))).status, 400)
    assert.equal((await call('POST', 'order?dry_run=true', order(1))).status, 200)
    assert.equal((await call('POST', 'order/bulk', undefined, { records: [order(1), order(13)] })).status, 400)
    assert.deepEqual(await all('queuedjob'), [])
  }))

test('a mail that the server cannot take now is sent again, with the same Message-ID', () =>
  withMail(
    async ({ app, call, all, until }, receiver) => {
      await call('POST', 'order', order(1))
      await app.app.begin()
      await until(async () => (await all('queuedjob'))[0].failures === 1)
      const [{ error, due_at: due, started_at: started }] = await all('queuedjob')
      assert.match(error, /^The mail server 127\.0\.0\.1: .*451 4\.3\.0 Try later/)
      const delay = Date.parse(due) - Date.parse(started)
      assert.ok(delay >= 8000 && delay <= 12_000, `${delay} ms`)
      app.advance(delay)
      await until(async () => {
        const [{ status }] = await all('queuedjob')
        if (status !== 'done') app.advance(250)
        return status === 'done'
      })
      const ids = receiver.seen.map((mail) => mail.field('Message-ID'))
      assert.deepEqual([ids.length, new Set(ids).size, receiver.received.length], [2, 1, 1])
      app.reported.length = 0
    },
    [{ data: [451, '4.3.0 Try later'] }],
  ))

for (const [place, answer] of [
  ['address', { to: [550, '5.1.1 No such user'] }],
  ['contents', { data: [554, '5.7.1 Spam'] }],
] as const) {
  test(`a mail whose ${place} the server refuses for good is kept as failed, and a superuser lets it run again`, () =>
    withMail(
      async (shop, receiver) => {
        const { app, call, all, until } = shop
        await call('POST', 'order', order(1))
        await app.app.begin()
        await until(async () => (await all('queuedjob'))[0].status === 'failed')
        const [{ id, attempt, error, input }] = await all('queuedjob')
        assert.deepEqual([attempt, input], [1, MAIL])
        assert.match(error, /5\.1\.1 No such user|5\.7\.1 Spam/)
        assert.equal((await api(shop, 'POST', `jobs/${id}/retry`)).status, 202)
        await until(async () => (await all('queuedjob'))[0].status === 'done')
        assert.equal(receiver.received.length, 1)
        app.reported.length = 0
      },
      [answer],
    ))
}

test('what would end a header field, several addresses and long texts are refused, and nothing is stored', () =>
  withMail(async ({ call, all }) => {
    const refused = async (part: object, field: string) => {
      Object.assign(globalThis, { mail: { ...MAIL, ...part } })
      const { status, text } = await call('POST', 'order', order(1))
      assert.equal(status, 400, `${JSON.stringify(part)}: ${text}`)
      assert.match(text, new RegExp(`"${field}"`), text)
    }
    for (const to of [
      ...['ann@example.org\r\nBcc: eve@example.org', 'ann@example.org\n', 'ann@example.org, eve@example.org', 'ann'],
      ...['Ann <ann@example.org>', 'mıke@example.org', 'ann@example.org\u2028', '', null, ['ann@example.org'], 7],
      `${'a'.repeat(250)}@example.org`,
    ]) {
      await refused({ to }, 'to')
    }
    for (const subject of ['Hello\r\nBcc: eve@example.org', 'Hello\n', 'a\u0000', 'a\u2028b', '', 'x'.repeat(251), null]) {
      await refused({ subject }, 'subject')
    }
    for (const text of ['', null, 'x'.repeat(100_001), {}]) await refused({ text }, 'text')
    await refused({ cc: 'eve@example.org' }, 'cc')
    assert.deepEqual([await all('queuedjob'), await all('order')], [[], []])
  }))

test('superusers send a mail by its job, without key and time; code stores it by `mail` only', () =>
  withMail(async (shop, receiver) => {
    const { app, all, until } = shop
    const run = (body: object) => api(shop, 'POST', 'jobs/admin.mail/run', body)
    assert.equal((await run({ input: { ...MAIL, to: 'ann' } })).status, 400)
    assert.equal((await run({ input: { ...MAIL, subject: 'a\r\nBcc: eve@example.org' } })).status, 400)
    assert.equal((await run({ input: MAIL, key: 'a>\r\n' })).status, 400)
    const stored = await run({ input: MAIL })
    assert.deepEqual([stored.status, stored.json.data.input.text], [202, undefined])
    await app.app.begin()
    await until(async () => (await all('queuedjob'))[0].status === 'done')
    assert.equal(receiver.received.length, 1)
    const context = app.app.scriptContext('scripts/a.ts', new AbortController().signal)
    const job = { name: 'admin.mail', run: () => {} }
    await assert.rejects(context.enqueue(job, MAIL), /There is no job 'admin\.mail'/)
    await context.mail(MAIL)
    await until(async () => receiver.received.length === 2)
    await until(async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
  }))

test('without a mail server, mails are files that only the owner can read', () => {
  Object.assign(globalThis, { mail: MAIL })
  const config = "mail: { from: 'no-reply@example.com' }\n"
  return withShop(
    async ({ app, call, all, until }) => {
      await app.app.begin()
      for (const quantity of [1, 2]) await call('POST', 'order', order(quantity))
      await until(async () => (await all('queuedjob')).every(({ status }) => status === 'done'))
      const folder = join(app.folder.path, 'data/mail')
      const names = await readdir(folder)
      assert.equal(names.length, 2)
      const [{ key }] = await all('queuedjob')
      const path = join(folder, names.find((name) => name.includes(key)) ?? '')
      assert.equal((await stat(path)).mode & 0o777, 0o600)
      assert.equal((await stat(folder)).mode & 0o777, 0o700)
      assert.equal(
        await readFile(path, 'utf8'),
        `From: no-reply@example.com
To: ann@example.org
Subject: Grüße aus dem Laden
Date: Thu, 15 Jan 2026 12:00:00 +0000
Message-ID: <${key}@example.com>
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Your order is on its way.
.
Bye
`,
      )
    },
    { ...HOOK, 'admin.config.yaml': config },
  )
})

test('without the setting, the error of the call names it', () => {
  Object.assign(globalThis, { mail: MAIL })
  return withShop(async ({ app, call, all }) => {
    assert.equal((await call('POST', 'order', order(1))).status, 500)
    assert.match(app.logged.join('\n'), /hooks\/order\.ts:5 beforeCreate: Mail is not set up; add `mail: /)
    assert.deepEqual(await all('order'), [])
    app.reported.length = 0
  }, HOOK)
})
