import type { Account } from './browser-login.ts'
import { makeProject, type TemporaryFolder } from './fixture.ts'

/** Accounts of the project. The visitor has no permission for any model. */
export const BARE_ACCOUNTS = {
  superuser: { username: 'admin', password: 'bare-admin-2024' },
  visitor: { username: 'visitor', password: 'bare-visitor-2024' },
} as const satisfies Readonly<Record<string, Account>>

const user = ({ username, password }: Account, isSuperuser: boolean) => ({
  ...{ username, password, email: `${username}@example.org`, is_superuser: isSuperuser },
})

/** The receiver of the webhook in the settings of the project. */
export const BARE_RECEIVER = 'http://127.0.0.1:9/settings'

const WEBHOOK = { url: BARE_RECEIVER, models: ['note'], secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' }

/** A project with one model and a webhook, without views, history or metrics. */
export const bareProject = (): Promise<TemporaryFolder> =>
  makeProject({
    'admin.config.json': JSON.stringify({ metrics: 'off', webhooks: { subscriptions: [WEBHOOK] } }),
    'models/note.yaml': 'name: Note\nfields:\n  - { name: title, type: string, required: true, unique: true }\n',
    'seed/user.json': JSON.stringify([user(BARE_ACCOUNTS.superuser, true), user(BARE_ACCOUNTS.visitor, false)]),
  })
