import { senderIn } from '../config/mail-settings.ts'
import type { MailSettings } from '../config/settings.ts'
import { isLoopback } from '../util/urls.ts'
import { type Mail, type MailTransport, messageId, RefusedMail } from './mail.ts'

/** Maximum time for a connection, for the greeting, and between two answers of the mail server, in milliseconds. */
const WAIT_MS = 20_000

/** Sends mails to a mail server by SMTP, each on a connection of its own. */
export class SmtpTransport implements MailTransport {
  readonly #settings: MailSettings & { readonly smtp: string }

  constructor(settings: MailSettings & { readonly smtp: string }) {
    this.#settings = settings
  }

  async send(mail: Mail, signal: AbortSignal): Promise<void> {
    const { from, smtp, password } = this.#settings
    // Loaded when it is needed, since it makes every start longer.
    const { createTransport } = await import('nodemailer')
    const { protocol, hostname, port, username } = new URL(smtp)
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const secure = protocol === 'smtps:'
    const isLocal = isLoopback(host)
    const transport = createTransport({
      host,
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      // Without TLS, others on the way could read the mail and the password. Servers on this machine have certificates of their own, if any.
      requireTLS: !secure && !isLocal,
      tls: { rejectUnauthorized: !isLocal },
      ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: password ?? '' } }),
      ...{ connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS, dnsTimeout: WAIT_MS },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    const sender = senderIn(from) ?? { name: '', address: from }
    try {
      await transport.sendMail({
        from: sender,
        // Not as a text, which may name several receivers.
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        messageId: messageId(mail, sender.address),
        date: mail.at,
        headers: { 'Auto-Submitted': 'auto-generated' },
        xMailer: false,
        signal,
      })
    } catch (error) {
      throw failureOfSending(error, host)
    } finally {
      transport.close()
    }
  }
}

/** The codes of errors that concern one mail; others concern the connection to the mail server. */
const OF_A_MAIL: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE'])

/** The error of an attempt. A mail that is refused with a status of 500 and above is refused for good (RFC 5321, section 4.2.1). */
function failureOfSending(error: unknown, host: string): Error {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown }
  const text = `The mail server ${host}: ${String(message)}`
  const isFinal = OF_A_MAIL.has(code) && typeof responseCode === 'number' && responseCode >= 500
  return isFinal ? new RefusedMail(text, { cause: error }) : new Error(text, { cause: error })
}
