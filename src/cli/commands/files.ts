import { Command } from 'commander'
import { withStoredFiles } from '../../app/stored-files.ts'
import { AppError } from '../../errors.ts'
import { checkFiles, describeFileFaults, type FileFinding, type FileTotals } from '../../files/file-check.ts'
import { type ListedFile, listFiles } from '../../files/file-list.ts'
import { describePlace } from '../../model/files.ts'
import { formatBytes } from '../../util/bytes.ts'
import { printable, printableJson } from '../../util/text.ts'
import type { Io } from '../io.ts'
import { modelNamed, type ProjectOptions, withAppOf, withProject, withProjectOptions } from '../project-options.ts'
import { counted, printRecords } from '../style.ts'

type JsonOptions = ProjectOptions & { readonly json?: boolean }
type GcOptions = JsonOptions & { readonly dryRun?: boolean }

/** `admin files`: the stored files of a project. */
export function filesCommand(io: Io): Command {
  const files = new Command('files')
    .description('list the stored files, check their bytes, remove those that no record has')
    .addHelpText('after', '\nExample:\n  $ admin files check\n')
  for (const command of [listCommand(io), checkCommand(io), gcCommand(io)]) files.addCommand(command)
  return files
}

const LIST_HELP = `
The state is attached (a record has the file), pending (an upload that no record has yet) or released (a record had it; it is still kept).

Example:
  $ admin files list post --json
`

function listCommand(io: Io): Command {
  return withProjectOptions(new Command('list').description('list the files of records, and uploads; also beside a server'))
    .argument('[model]', 'only files of this model, such as post')
    .option('--json', 'print the files as a JSON array')
    .addHelpText('after', LIST_HELP)
    .action((model: string | undefined, options: JsonOptions) =>
      withProject(io, options, async (project) => {
        if (model !== undefined) modelNamed(project.registry, model)
        const files: ListedFile[] = []
        await withStoredFiles(project, async (parts) => {
          for await (const batch of listFiles(parts, model)) for (const file of batch) files.push(file)
        })
        printRecords(io, files, options, {
          MODEL: (file) => file.model,
          RECORD: ({ record }) => String(record ?? '-'),
          FIELD: ({ field }) => field,
          STATE: ({ state }) => state,
          SIZE: ({ size }) => String(size),
          NAME: ({ name }) => name,
        })
      }),
    )
}

const CHECK_HELP = `
Reads every byte and compares it with its hash, and the registry of files with the records. Exits 1 for files without bytes (missing), with
other bytes (damaged), that their record does not have (without_record), or that the registry does not have (without_row).
Bytes older than 24 hours that nothing has (unreferenced) are no fault: a server and \`admin files gc\` remove them.

Example:
  $ admin files check
`

function checkCommand(io: Io): Command {
  return withProjectOptions(
    new Command('check').description('compare all bytes with their hashes, and files with records; also beside a server'),
  )
    .option('--json', 'print totals and findings as JSON')
    .addHelpText('after', CHECK_HELP)
    .action((options: JsonOptions) =>
      withProject(io, options, async (project) => {
        const findings: FileFinding[] = []
        const found = (finding: FileFinding) => {
          if (options.json === true) findings.push(finding)
          else io.stdout.write(`${printable(describeFinding(finding))}\n`)
        }
        const totals = await withStoredFiles(project, (parts) => checkFiles(parts, found))
        if (options.json === true) io.stdout.write(`${printableJson({ ...totals, findings: findings.map(findingJson) })}\n`)
        else io.stdout.write(`${describeTotals(totals)}\n`)
        const faults = describeFileFaults(totals)
        if (faults !== undefined)
          throw new AppError(
            'DATA_CORRUPT',
            `The stored files have faults: ${faults}; restore the bytes or the data from a backup`,
          )
      }),
    )
}

const describeFinding = (finding: FileFinding): string => {
  const { kind, sha256, file, reason } = finding
  const nameless = kind === 'missing' ? ' bytes that a snapshot lists' : ''
  const place = file === undefined ? nameless : ` ${describePlace(file)}`
  return `${kind}${place} ${sha256}${reason === undefined ? '' : `: ${reason}`}`
}

const findingJson = ({ kind, sha256, file, reason }: FileFinding) => ({
  kind,
  sha256,
  model: file?.model ?? null,
  record: file?.record ?? null,
  field: file?.field ?? null,
  name: file?.name ?? null,
  reason: reason ?? null,
})

const describeTotals = ({ files, contents, bytes, free }: FileTotals): string =>
  `${counted(files, 'file')}, ${counted(contents, 'content')} of ${formatBytes(bytes)}, ${formatBytes(free)} free`

const GC_HELP = `
A server does the same every hour. With a data folder, stop the server first, but for --dry-run; with PostgreSQL it works beside servers.

Removes uploads that have expired, files that were released long ago, and bytes older than 24 hours that no file and no snapshot has.
The bytes of removed files stay for a later run.

Examples:
  $ admin files gc --dry-run
  $ admin files gc
`

function gcCommand(io: Io): Command {
  return withProjectOptions(new Command('gc').description('remove files that no record refers to'))
    .option('--dry-run', 'remove nothing, and say what would be removed; also beside a server')
    .option('--json', 'print what was removed as JSON')
    .addHelpText('after', GC_HELP)
    .action(({ dryRun = false, json = false, ...options }: GcOptions) =>
      withProject(io, options, async (project) => {
        const result = await withAppOf(io, project, dryRun ? 'read' : 'write', async ({ fileSweep }) =>
          fileSweep?.sweep({ dryRun }),
        )
        const { contents, bytes, expired, released } = result ?? { contents: 0, bytes: 0, expired: 0, released: 0 }
        if (json) io.stdout.write(`${printableJson({ dry_run: dryRun, contents, bytes, expired, released })}\n`)
        else {
          const parts = [
            `${counted(contents, 'content')} of ${formatBytes(bytes)}`,
            counted(expired, 'expired upload'),
            counted(released, 'released file'),
          ]
          io.stdout.write(`${dryRun ? 'Would remove' : 'Removed'} ${parts.join(', ')}\n`)
        }
      }),
    )
}
