import Joi from 'joi'
import { isLoopback, parseUrl } from '../util/urls.ts'
import type { MailSettings } from './define.ts'
import type { Faults } from './fault.ts'
import { type Definition, flatSource } from './source.ts'

const EXAMPLE_FROM = 'Shop <no-reply@example.com>'
const EXAMPLE_SMTP = 'smtp://user@mail.example.com:587'

const ADDRESS = String.raw`[\w.!#$%&'*+/=?^{|}~\x60-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?`
/** An address, or a name with an address in angle brackets. */
const SENDER = new RegExp(`^(?:([^<>"\\p{Cc}]{1,100}?) ?<(${ADDRESS})>|(${ADDRESS}))$`, 'u')

/** The name and the address of a sender such as `Shop <no-reply@example.com>`; undefined for another text. */
export function senderIn(text: string): { readonly name: string; readonly address: string } | undefined {
  const [, name = '', named, address = named] = SENDER.exec(text) ?? []
  return address === undefined ? undefined : { name, address }
}

/** The problem of the URL of a mail server, as a message that follows its name; undefined if it is valid. Never shows the URL. */
function smtpProblem(address: string): string | undefined {
  const url = parseUrl(address)
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return `must be a URL such as ${EXAMPLE_SMTP}`
  if (url.password !== '') return 'must not contain a password; set ADMIN_MAIL__PASSWORD'
  return (url.pathname === '' || url.pathname === '/') && url.search === '' && url.hash === ''
    ? undefined
    : `must end after the port, as ${EXAMPLE_SMTP} does`
}

/** Schema of `mail`. Each layer of the settings may have a part of it. */
export const mailSchema = Joi.object({
  from: Joi.string()
    .custom((text: string, helpers) => (senderIn(text) === undefined ? helpers.error('mail.from') : text))
    .messages({ 'mail.from': `{{#label}} must be an address such as ${EXAMPLE_FROM}` }),
  smtp: Joi.string()
    .custom((text: string, helpers) => {
      const problem = smtpProblem(text)
      return problem === undefined ? text : helpers.error('mail.smtp', { problem })
    })
    .messages({ 'mail.smtp': '{{#label}} {{#problem}}' }),
  password: Joi.string().max(1000),
})

/**
 * Checks the merged section. Without a server for mail, mails become files, which only people on this machine can read: the server must not
 * listen elsewhere.
 *
 * @param file the settings file, whose position the fault has if the section is there
 */
export function completeMail(
  mail: Partial<MailSettings> | undefined,
  host: string,
  file: Definition | undefined,
  faults: Faults,
): MailSettings | undefined {
  if (mail === undefined) return undefined
  const isInFile = Object.hasOwn(Object(file?.value), 'mail')
  const source = isInFile && file !== undefined ? file.source : flatSource('environment ADMIN_MAIL')
  const fault = (message: string) => faults.add(source, isInFile ? ['mail'] : [], message, { rule: 'config/invalid' })
  const { from, smtp } = mail
  if (from === undefined) {
    fault(`'mail' has no from; add the address of the sender, such as ${EXAMPLE_FROM}, or set ADMIN_MAIL__FROM to it`)
    return undefined
  }
  if (smtp === undefined && !isLoopback(host)) {
    fault(
      `'mail' has no smtp, and the server listens on ${host}: mails become files only on loopback; add a mail server such as ${EXAMPLE_SMTP}, or set ADMIN_MAIL__SMTP to it`,
    )
  }
  return { ...mail, from }
}
