import assert from 'node:assert/strict'
import type { TestApp } from './api/app.ts'
import { play } from './api/scenario.ts'

/** A mail as it waits to be sent. */
interface WaitingMail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Settings with which links are sent. */
export const MAIL_SETTINGS = { mail: { from: 'Blog <no-reply@example.com>' }, accounts: { password_reset: true } } as const

/** The mails that wait to be sent, the first one first. */
export async function waitingMails(app: TestApp): Promise<readonly WaitingMail[]> {
  await app.app.accountLinks.resets.flush()
  const filters = [{ field: 'name', operator: 'eq', value: 'admin.mail' } as const]
  const plan = { filters, sort: [{ field: 'id', order: 'asc' }] as const, offset: 0, limit: 1000 }
  const { records } = await app.app.store.find('queuedjob', plan)
  return records.map(({ input }) => input as unknown as WaitingMail)
}

/** Those that do not tell a former address of a change, which the tests themselves make. */
export const sentMails = async (app: TestApp): Promise<readonly WaitingMail[]> =>
  (await waitingMails(app)).filter(({ subject }) => !subject.endsWith(': your address was changed'))

/** The link in a text. */
export function linkIn(text: string): string {
  const [link] = /https?:\/\/\S+/.exec(text) ?? []
  assert.ok(link !== undefined, text)
  return link
}

export const tokenOf = (link: string): string => new URL(link).hash.slice('#token='.length)

/** Asks for a link to set another password, and returns its token. */
export async function resetToken(app: TestApp, email: string): Promise<string> {
  const { length } = await waitingMails(app)
  await forgot(app, email)
  const [mail] = (await waitingMails(app)).slice(length)
  assert.ok(mail !== undefined, 'No mail was sent')
  return tokenOf(linkIn(mail.text))
}

export const forgot = (app: TestApp, email: unknown, headers: Readonly<Record<string, string>> = {}) =>
  play(app, { request: 'POST /api/v1/auth/password/forgot', as: null, body: { email }, headers, status: 202 })
