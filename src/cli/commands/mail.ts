import { Command, InvalidArgumentError } from 'commander'
import { mailFolderOf } from '../../app/mail.ts'
import { AppError } from '../../errors.ts'
import { mailsIn } from '../../mail/mail-folder.ts'
import { printable } from '../../util/text.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { type ProjectOptions, withProject, withProjectOptions } from '../project-options.ts'
import { counted, printRecords } from '../style.ts'

type MailOptions = ProjectOptions & { limit: number; json?: boolean }

const HELP = `
Without \`mail.smtp\` in the settings, mails become files in the folder mail of the data folder. 1 is the last one.

Example:
  $ admin mail
  $ admin mail last
`

/** `admin mail`: the mails that were kept in place of being sent. Works with and without a running server. */
export function mailCommand(io: Io): Command {
  return withProjectOptions(new Command('mail').description('list the mails that were kept, not sent, or show one'))
    .argument('[mail]', 'number of a mail in the list, or last', parseNumber)
    .option('--limit <n>', 'maximum number of mails in the list', wholeNumber('The limit', 1, 500), 20)
    .option('--json', 'print the list as a JSON array')
    .addHelpText('after', HELP)
    .action((wanted: number | undefined, { limit, json = false, ...options }: MailOptions) =>
      withProject(io, options, async (project) => {
        const mails = await mailsIn(mailFolderOf(project))
        if (wanted !== undefined) {
          const mail = mails[wanted - 1]
          if (mail === undefined) throw noMail(wanted, mails.length)
          io.stdout.write(mail.content.split('\n').map(printable).join('\n'))
          return
        }
        const listed = mails.slice(0, limit).map(({ at, to, subject }, index) => ({ number: index + 1, at, to, subject }))
        printRecords(
          io,
          listed,
          { json },
          { NUMBER: ({ number }) => String(number), AT: ({ at }) => at, TO: ({ to }) => to, SUBJECT: ({ subject }) => subject },
        )
      }),
    )
}

const noMail = (wanted: number, total: number): AppError =>
  new AppError(
    'TASK_FAILED',
    total === 0 ? 'No mail was kept' : `There is no mail ${wanted}; ${counted(total, 'mail')} ${total === 1 ? 'is' : 'are'} kept`,
  )

function parseNumber(text: string): number {
  if (text === 'last') return 1
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a number of the list, or last.')
  return Number(text)
}
