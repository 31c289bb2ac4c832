/** A mail to one receiver, in plain text. */
export interface Mail {
  /** An address without a name. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Unique; the same for each attempt to send the mail. */
  readonly id: string
  /** When code has written it. */
  readonly at: Date
}

/** Sends mails, or keeps them. */
export interface MailTransport {
  /**
   * @param signal aborted when the attempt has to end
   * @throws {RefusedMail} if another attempt would fail, too
   */
  send(mail: Mail, signal: AbortSignal): Promise<void>
}

/** An error of a mail that the mail server refuses for good, such as one to an unknown address. */
export class RefusedMail extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'RefusedMail'
  }
}

/** The value of the header field `Message-ID` (RFC 5322, section 3.6.4), by which receivers know a mail that arrives again. */
export const messageId = ({ id }: Pick<Mail, 'id'>, sender: string): string => `<${id}@${sender.slice(sender.indexOf('@') + 1)}>`
