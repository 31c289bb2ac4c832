import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { MAIL_SETTINGS } from '../../helpers/account-mails.ts'
import { play } from '../../helpers/api/scenario.ts'
import { tryLogin, withApp } from '../access.ts'

const TIMES = 2000
const MOST_MS = 2

const medianOf = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0

test('asking for a link takes as long for every account, also while the mail server hangs', async (context) => {
  const hanging = createServer(() => {}).listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  const { port } = hanging.address() as { port: number }
  try {
    const settings = { ...MAIL_SETTINGS, mail: { ...MAIL_SETTINGS.mail, smtp: `smtp://127.0.0.1:${port}` } }
    await withApp(
      async (app) => {
        const emailOf = async (id: number) =>
          (await play(app, { request: `GET /api/v1/models/user/${id}`, status: 200 })).json.data.email
        await play(app, { request: 'PUT /api/v1/models/user/4', body: { data: { is_active: false } }, status: 200 })
        for (let attempt = 0; attempt < 6; attempt++) await tryLogin(app, { username: 'm.keller', password: 'wrong' })
        const addresses = {
          existing: await emailOf(3),
          unknown: 'nobody@example.org',
          disabled: await emailOf(4),
          locked: await emailOf(2),
        }
        await app.app.jobs.startWorker()
        const times = new Map(Object.keys(addresses).map((name) => [name, [] as number[]]))
        for (let number = 0; number < TIMES; number++) {
          // A link has been used or has expired, so that further ones are sent.
          if (number % 50 === 0) app.advance(31 * 60_000)
          for (const [name, email] of Object.entries(addresses)) {
            const begun = performance.now()
            const reply = await app.server.inject({ method: 'POST', url: '/api/v1/auth/password/forgot', payload: { email } })
            times.get(name)?.push(performance.now() - begun)
            assert.equal(reply.statusCode, 202)
            assert.equal(reply.payload, '{"message":"If an account has this address, a link is sent to it"}')
          }
          if (number % 10 === 0) app.advance(500)
        }
        await app.app.accountLinks.resets.flush()
        const { total } = await app.app.store.find('queuedjob', { filters: [], sort: [], offset: 0, limit: 1 })
        assert.ok(total > 40, `${total} mails`)
        // The attempts to send, which have ended with an error.
        app.reported.splice(0)
        const medians = Object.fromEntries([...times].map(([name, of]) => [name, medianOf(of)]))
        context.diagnostic(JSON.stringify(medians))
        const all = Object.values(medians)
        assert.ok(Math.max(...all) - Math.min(...all) <= MOST_MS, JSON.stringify(medians))
      },
      { settings },
    )
  } finally {
    hanging.close()
  }
})
