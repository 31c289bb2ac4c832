import { join } from 'node:path'
import type { Log } from '../log/log.ts'
import type { MailTransport } from '../mail/mail.ts'
import { MailFolder } from '../mail/mail-folder.ts'
import { SmtpTransport } from '../mail/smtp-transport.ts'
import type { Project } from '../project/project.ts'
import type { AppMode } from './dependencies.ts'
import { dataFolderOf } from './open-store.ts'

/** The folder that keeps mails if there is no server for them. */
export const mailFolderOf = (project: Pick<Project, 'folder' | 'settings'>): string => join(dataFolderOf(project), 'mail')

/** How the mails of a project are sent; undefined without the setting `mail`. */
export function mailTransport(project: Pick<Project, 'folder' | 'settings'>, mode: AppMode, log: Log): MailTransport | undefined {
  const { mail } = project.settings
  if (mail === undefined) return undefined
  const { from, smtp } = mail
  if (smtp !== undefined) return new SmtpTransport({ ...mail, smtp })
  if (mode !== 'ephemeral') return new MailFolder(mailFolderOf(project), from)
  // Such a server writes no files, and listens on loopback only.
  return { send: async ({ to, subject, text }) => log.info('A mail', { to, subject, text }) }
}
