/** A mail that the server sends. */
export interface AccountMail {
  /** An address without a name. */
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Characters that would end a line. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** A text without line breaks and control characters. */
export const oneLine = (text: unknown): string => String(text).replace(CONTROLS, ' ').trim()

/** What mails name. */
export interface NamedAccount {
  readonly title: string
  readonly username: string
}

export type MailText = Omit<AccountMail, 'to'>

const paragraphs = (...all: readonly string[]): string => `${all.join('\n\n')}\n`

const askAdministrator = (title: string) => `If this was not you, tell an administrator of ${title} at once.`

/** The mail with a link to set another password. */
export const resetText = ({ title, username }: NamedAccount, link: string): MailText => ({
  subject: `${title}: set a new password`,
  text: paragraphs(
    `Somebody, probably you, asked for a new password of the account ${username} of ${title}.`,
    'Set it here, within 30 minutes:',
    link,
    'If you did not ask for it, you need not do anything: the password stays as it is.',
  ),
})

/** The mail that tells of a new password. */
export const passwordSetText = ({ title, username }: NamedAccount): MailText => ({
  subject: `${title}: your password was changed`,
  text: paragraphs(
    `The password of the account ${username} of ${title} was changed by a link from a mail. All sessions have ended.`,
    askAdministrator(title),
  ),
})

/** The mail with an invitation. */
export const invitationText = ({ title }: Pick<NamedAccount, 'title'>, link: string): MailText => ({
  subject: `${title}: you are invited`,
  text: paragraphs(
    `You are invited to ${title}.`,
    'Choose a name and a password here, within 7 days:',
    link,
    'If you did not expect this, you need not do anything.',
  ),
})

/** The mail to an address that is to be verified. */
export const verificationText = ({ title, username }: NamedAccount, link: string): MailText => ({
  subject: `${title}: confirm your address`,
  text: paragraphs(
    `The account ${username} of ${title} asks to use this address.`,
    'If this is your account, confirm the address here, within 24 hours. You must be logged in:',
    link,
    'If it is not, you need not do anything.',
  ),
})

/** The mail to the present address, when another one was entered. */
export const otherAddressText = ({ title, username }: NamedAccount): MailText => ({
  subject: `${title}: another address was entered`,
  text: paragraphs(
    `Another address was entered for the account ${username} of ${title}. It takes the place of this one when it is confirmed.`,
    askAdministrator(title),
  ),
})

/** The mail to the former address, when another one has taken its place. */
export const addressChangedText = ({ title, username }: NamedAccount): MailText => ({
  subject: `${title}: your address was changed`,
  text: paragraphs(`The account ${username} of ${title} does not have this address any more.`, askAdministrator(title)),
})

/** The mail that tells of an identity that was linked by its verified address. */
export const identityLinkedText = ({ title, username }: NamedAccount, provider: string): MailText => ({
  subject: `${title}: you can log in with ${oneLine(provider)}`,
  text: paragraphs(
    `The account ${username} of ${title} was linked with an identity of ${oneLine(provider)} that has the same address. It can be used to log in from now on.`,
    askAdministrator(title),
  ),
})
