import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import { AdminError } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import { type ApiClient, appErrorOf, withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { describedModels } from '../model-requests.ts'
import { wholeNumber } from '../number-options.ts'
import { type RemoteOptions, withRemoteOptions } from '../remote.ts'
import { describedFileFields, discardUpload, uploadLocalFile } from '../stored-files.ts'

/** Maximum number of reads of a record that other writes keep changing. */
const MAX_ATTEMPTS = 20

interface UploadOptions extends RemoteOptions {
  readonly record?: number
  readonly json?: boolean
}

const NOTES = `
Prints the id of each upload, in the order of the files. With --record the record gets them: behind its other files in a field of several, in
place of its file in another. Without it, the ids are for a later write of the same account: with --url, of the account of the token. Uploads
that no record takes are kept for a day (setting files.pending_hours). If one of the files is refused, none is uploaded.

Example:
  $ admin upload post cover reef.jpg --record 1
  $ admin upload post gallery *.jpg --record 1
`

/** `admin upload`: uploads files for a field. Works beside a running server, in this process, or on a remote server. */
export function uploadCommand(io: Io): Command {
  return withRemoteOptions(new Command('upload').description('upload files for a field, and print their ids'))
    .argument('<model>', 'model, such as post')
    .argument('<field>', 'field of files or images, such as cover')
    .argument('<file...>', 'files to upload')
    .option('--record <id>', 'record that gets the files', wholeNumber('The id', 1, Number.MAX_SAFE_INTEGER))
    .option('--json', 'print the ids as JSON')
    .addHelpText('after', NOTES)
    .action(async (model: string, field: string, files: readonly string[], options: UploadOptions) => {
      const paths = files.map((file) => ({ shown: file, path: resolve(io.cwd, file) }))
      for (const each of paths) await refuseNoFile(each)
      const { record } = options
      const ids = await withApi(io, options, async (api) => {
        const uploaded = await uploadAll(api, model, field, paths, io)
        if (record !== undefined) await attach(api, { model, field, record }, uploaded)
        return uploaded
      })
      io.stdout.write(options.json === true ? `${JSON.stringify(ids)}\n` : ids.map((id) => `${id}\n`).join(''))
      const what = ids.length === 1 ? 'the id' : 'the ids'
      const next = `Write ${what} to ${field} of a record, or use --record; unused uploads expire\n`
      io.stderr.write(
        record === undefined ? next : `${field} of ${model} ${record} has ${ids.length === 1 ? 'the file' : 'the files'}\n`,
      )
    })
}

/** A file of the command line. */
interface NamedFile {
  readonly shown: string
  readonly path: string
}

/** @throws {AppError} TASK_FAILED for what is no file, before anything is uploaded */
async function refuseNoFile({ shown, path }: NamedFile): Promise<void> {
  const found = await stat(path).catch((error: Error) => {
    throw new AppError('TASK_FAILED', `${shown} cannot be read: ${error.message}`)
  })
  if (!found.isFile()) throw new AppError('TASK_FAILED', `${shown} is no file`)
}

async function uploadAll(
  api: ApiClient,
  model: string,
  field: string,
  files: readonly NamedFile[],
  io: Io,
): Promise<readonly string[]> {
  await expectFileField(api, model, field)
  const ids: string[] = []
  return io.interruptibly(async (signal) => {
    for (const { shown, path } of files) {
      const file = { path, name: basename(path), open: () => createReadStream(path) }
      const id = await uploadLocalFile(api, io, { model, field }, file, signal).catch(async (error: unknown) => {
        for (const uploaded of ids) await discardUpload(api, uploaded).catch(() => {})
        throw refusalOf(appErrorOf(error), shown)
      })
      ids.push(id)
    }
    return ids
  })
}

interface Place {
  readonly model: string
  readonly field: string
  readonly record: number
}

/** Writes uploads to a record. If that fails, they are removed. */
async function attach(api: ApiClient, place: Place, ids: readonly string[]): Promise<void> {
  try {
    const multiple = (await describedFileFields(api, place.model)).get(place.field)?.multiple === true
    if (!multiple && ids.length > 1) throw new AppError('TASK_FAILED', `${place.field} has one file; upload one`)
    if (multiple) await append(api, place, ids)
    else await api.client.model(place.model).update(place.record, { [place.field]: ids[0] })
  } catch (error) {
    for (const id of ids) await discardUpload(api, id).catch(() => {})
    throw appErrorOf(error)
  }
}

/** Adds uploads behind the files of a record; reads it again if another write has changed it meanwhile, so that none is lost. */
async function append(api: ApiClient, { model, field, record }: Place, ids: readonly string[]): Promise<void> {
  const records = api.client.model(model)
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await records.read(record)
    const others = (data as Readonly<Record<string, unknown>>)[field]
    try {
      await records.update(record, { [field]: [...(Array.isArray(others) ? others : []), ...ids] }, { if_match: etag })
      return
    } catch (error) {
      const isChanged = error instanceof AdminError && error.type === 'precondition'
      if (!isChanged || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** @throws {AppError} MODEL_NOT_FOUND, TASK_FAILED for a field that is no field of files */
export async function expectFileField(api: ApiClient, model: string, field: string): Promise<void> {
  const fields = await describedFileFields(api, model)
  if (fields.has(field)) return
  const models = [...(await describedModels(api)).keys()]
  if (!models.includes(model)) throw new AppError('MODEL_NOT_FOUND', `There is no model '${model}'${meantOrKnown(model, models)}`)
  const known = [...fields.keys()]
  const hint = known.length === 0 ? `; ${model} has no fields of files` : meantOrKnown(field, known)
  throw new AppError('TASK_FAILED', `'${field}' is no field of files of ${model}${hint}`)
}

/** Adds the name of the file to an error about it. */
function refusalOf(error: unknown, shown: string): unknown {
  if (!(error instanceof AppError) || typeof error.details === 'string') return error
  const messages = Object.values(error.details).flat()
  return new AppError(error.code, messages.map((each) => `${shown}: ${each}`).join('\n'), { cause: error })
}
