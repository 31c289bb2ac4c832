import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { senderIn } from '../config/mail-settings.ts'
import { type Mail, type MailTransport, messageId } from './mail.ts'

/** Maximum number of mails in the folder; the oldest are deleted. */
const MAX_KEPT = 500

const ENDING = '.eml'

/** A mail in the folder. */
export interface KeptMail {
  readonly at: string
  readonly to: string
  readonly subject: string
  /** Header fields and text, as in the file. */
  readonly content: string
}

/** Keeps mails as files that only the owner can read, in place of sending them. */
export class MailFolder implements MailTransport {
  readonly #folder: string
  readonly #from: string

  constructor(folder: string, from: string) {
    this.#folder = folder
    this.#from = from
  }

  async send(mail: Mail): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    // Another attempt writes the same file.
    const path = join(this.#folder, `${mail.at.toISOString().replaceAll(/[:.]/g, '-')}-${mail.id}${ENDING}`)
    // A draft has no ending of mails, so that no part of a mail is read.
    await writeFile(`${path}.draft`, contentOf(mail, this.#from), { mode: 0o600 })
    await rename(`${path}.draft`, path)
    const names = await mailNames(this.#folder)
    await Promise.all(names.slice(MAX_KEPT).map((name) => rm(join(this.#folder, name), { force: true })))
  }
}

/** The mails of a folder, the last one first; none without the folder. */
export async function mailsIn(folder: string): Promise<readonly KeptMail[]> {
  const names = await mailNames(folder)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)))
  return texts.flatMap((content) => (content === undefined ? [] : [keptIn(content)]))
}

/** Names of the files, the last one first. */
async function mailNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => name.endsWith(ENDING)).sort((a, b) => (a < b ? 1 : -1))
}

/** A message (RFC 5322) whose header fields are in UTF-8 (RFC 6532), so that people can read it. */
function contentOf(mail: Mail, from: string): string {
  const fields = {
    From: from,
    To: mail.to,
    Subject: mail.subject,
    Date: mail.at.toUTCString().replace('GMT', '+0000'),
    'Message-ID': messageId(mail, senderIn(from)?.address ?? from),
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  return `${head.join('')}\n${mail.text}${mail.text.endsWith('\n') ? '' : '\n'}`
}

function keptIn(content: string): KeptMail {
  const [head = ''] = content.split('\n\n', 1)
  const fieldOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const at = new Date(fieldOf('Date'))
  return {
    at: Number.isNaN(at.getTime()) ? '' : at.toISOString(),
    to: fieldOf('To'),
    subject: fieldOf('Subject'),
    content,
  }
}
