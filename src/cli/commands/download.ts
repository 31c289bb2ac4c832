import { randomBytes } from 'node:crypto'
import { lstat, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../errors.ts'
import { filesIn, type StoredFile } from '../../model/files.ts'
import { DiskNames } from '../../transfer/file-names.ts'
import { callSucceeds } from '../../util/files.ts'
import type { Json } from '../../util/json.ts'
import { type ApiClient, withApi } from '../api-client.ts'
import { writeBytesTo } from '../file-bytes.ts'
import type { Io } from '../io.ts'
import { wholeNumber } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { openStoredFile } from '../stored-files.ts'
import { expectFileField } from './upload.ts'

interface DownloadOptions extends RemoteOptions {
  readonly output: string
  readonly force?: boolean
}

const NOTES = `
-o names a file, or a folder if it exists or the field has several files. In a folder, files have the names that they have in the record,
made safe for the file system.

Example:
  $ admin download post 1 cover -o cover.jpg
  $ admin download patient 3 scans -o scans/
`

/** `admin download`: writes the files of a record to the disk. Works on a project folder, beside a running server, or on a remote one. */
export function downloadCommand(io: Io): Command {
  return withRemoteOptions(new Command('download').description('write the files of a record to the disk'))
    .argument('<model>', 'model, such as post')
    .argument('<id>', 'id of the record', wholeNumber('The id', 1, Number.MAX_SAFE_INTEGER))
    .argument('<field>', 'field of files or images, such as cover')
    .option('-o, --output <path>', 'file to write, or folder (default: the current folder)', '.')
    .option('--force', 'overwrite existing files')
    .addHelpText('after', NOTES)
    .action((model: string, record: number, field: string, options: DownloadOptions) =>
      withApi(io, options, (api) => download(api, { model, record, field }, options, io), { mode: 'read' }),
    )
}

interface Place {
  readonly model: string
  readonly record: number
  readonly field: string
}

async function download(api: ApiClient, place: Place, { output, force = false }: DownloadOptions, io: Io): Promise<void> {
  const { model, record, field } = place
  await expectFileField(api, model, field)
  const { data } = (await api.client.request(`/models/${model}/${record}`)) as { readonly data: Readonly<Record<string, Json>> }
  const value = data[field] ?? null
  const files = filesIn(withoutUrls(value))
  if (files.length === 0) throw new AppError('TASK_FAILED', `${field} of ${model} ${record} has no file`)
  for (const { path, shown, file } of await targetsOf(files, Array.isArray(value), output, io)) {
    if (!force && (await callSucceeds(lstat(path))))
      throw new AppError('TASK_FAILED', `${shown} already exists; --force overwrites it`)
    await io.interruptibly(async (signal) => {
      const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`)
      const content = await openStoredFile(api, place, file, signal)
      await writeBytesTo(draft, content, { file, shown: `${model} ${record}, ${field}`, signal })
      await rename(draft, path).catch(async (error: Error) => {
        await rm(draft, { force: true })
        throw new AppError('TASK_FAILED', `${shown} cannot be written: ${error.message}`)
      })
    })
    io.stderr.write(`Wrote ${shown}\n`)
  }
}

/** The stored files of an answer, which has their addresses beside what is stored. */
function withoutUrls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutUrls)
  if (typeof value !== 'object' || value === null) return value
  const { url: _, ...stored } = value as Readonly<Record<string, Json>>
  return stored
}

/** Where each file is written. A folder is made if it does not exist. */
async function targetsOf(files: readonly StoredFile[], isList: boolean, output: string, io: Io) {
  const path = resolve(io.cwd, output)
  const isFolder = isList || /[\\/]$/.test(output) || (await stat(path).catch(() => undefined))?.isDirectory() === true
  const [file] = files
  if (!isFolder && file !== undefined) return [{ path, shown: output, file }]
  await mkdir(path, { recursive: true }).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${output} cannot be created: ${error.message}`)
  })
  const names = new DiskNames()
  return files.map((each) => {
    const name = names.next(each.name)
    return { path: join(path, name), shown: join(output, name), file: each }
  })
}
