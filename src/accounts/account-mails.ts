import { SHELL } from '../auth/permissions.ts'
import type { Caller } from '../code/context.ts'
import type { JobQueue } from '../code/job-queue.ts'
import { NO_PUBLIC_URL, publicUrl } from '../config/account-settings.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log/log.ts'
import { DEFAULT_TITLE } from '../project/site.ts'
import type { Operation, StoredRecord } from '../store/store.ts'
import { type AccountMail, type MailText, type NamedAccount, oneLine } from './mail-texts.ts'

/** The pages that links lead to. */
export type LinkedPage = 'reset-password' | 'accept-invitation' | 'verify-email'

const NO_MAIL =
  "Mail is not set up; add `mail: { from: 'Shop <no-reply@example.com>', smtp: 'smtp://user@mail.example.com:587' }` to the settings, or set ADMIN_MAIL__FROM and ADMIN_MAIL__SMTP"

const OF_SERVER: Caller = { actor: SHELL, via: 'api', requestId: undefined, chain: [] }

/** Mails of the server about accounts, and the links in them. Mails are jobs, which a server with jobs sends. */
export class AccountMails {
  readonly #settings: Settings
  readonly #queue: JobQueue
  readonly #log: Log
  #port: number

  constructor({ settings, queue, log }: { settings: Settings; queue: JobQueue; log: Log }) {
    this.#settings = settings
    this.#queue = queue
    this.#log = log
    this.#port = settings.port
  }

  /** Names the port that the server listens on, which a setting of 0 leaves to the system. */
  listensOn(port: number): void {
    this.#port = port
  }

  get areOn(): boolean {
    return this.#settings.mail !== undefined
  }

  /** The name of the site in texts, on one line. */
  get title(): string {
    return oneLine(this.#settings.ui.title ?? DEFAULT_TITLE)
  }

  /** @throws {AppError} NOT_SET_UP without the setting `mail` */
  expectMail(): void {
    if (!this.areOn) throw new AppError('NOT_SET_UP', NO_MAIL)
  }

  /**
   * The link to a page, with a token in the fragment, which browsers send to no server. It begins with the setting `public_url`, whatever a request
   * says.
   *
   * @throws {AppError} NOT_SET_UP if the address of the server is not known
   */
  link(page: LinkedPage, token: string): string {
    const address = publicUrl(this.#settings, this.#port)
    if (address === undefined) throw new AppError('NOT_SET_UP', NO_PUBLIC_URL)
    const { base_path, admin_path } = this.#settings
    return `${address}${base_path}${admin_path}/${page}#token=${token}`
  }

  /** What texts about an account name. */
  named({ username }: StoredRecord): NamedAccount {
    return { title: this.title, username: oneLine(username) }
  }

  /** Stores a mail that tells a user of something that has happened, where mails are sent. A failure is logged only. */
  tell(user: StoredRecord, text: (named: NamedAccount) => MailText): Promise<void> {
    return this.tellAll([user], text)
  }

  /** The same for several users, in one transaction. */
  async tellAll(users: readonly StoredRecord[], text: (named: NamedAccount) => MailText): Promise<void> {
    if (!this.areOn || users.length === 0) return
    try {
      const mails = users.map((user) => ({ to: String(user.email), ...text(this.named(user)) }))
      await this.#queue.addAll(mails.map((mail) => this.#queue.prepareMail(mail, OF_SERVER)))
    } catch (error) {
      this.#log.error('Mails about accounts could not be stored', { error, mails: users.length })
    }
  }

  /** The operations that store a mail, for a transaction. */
  operationsOf(mail: AccountMail): Promise<readonly Operation[]> {
    return this.#queue.operationsOf([this.#queue.prepareMail(mail, OF_SERVER)], false)
  }
}
