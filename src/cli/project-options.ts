import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type App, openApp } from '../app.ts'
import type { SettingsInput } from '../config/settings.ts'
import { jwtCodec } from '../http/jwt-codec.ts'
import type { Io } from './io.ts'

/** Options of every command that works on a project. */
export interface ProjectOptions {
  readonly project: string
  readonly data?: string
}

/** Gives a command the options that name a project. */
export function withProjectOptions(command: Command): Command {
  return command
    .addOption(new Option('--project <dir>', 'project folder').default('.', 'the current folder'))
    .addOption(new Option('--data <dir>', 'data folder (default: the setting `data` of the project)'))
}

/** Opens the project that the options name, does something with it, and closes it whatever happens. */
export async function withApp<T>(
  io: Io,
  { project, data }: ProjectOptions,
  mode: 'read' | 'write',
  work: (app: App) => Promise<T>,
  flags: SettingsInput = {},
): Promise<T> {
  const dataFlag = data === undefined ? {} : { data: resolve(io.cwd, data) }
  const source = { folder: resolve(io.cwd, project), env: io.env, flags: { ...flags, ...dataFlag } }
  const app = await openApp(source, mode, { tokenCodec: jwtCodec, warn: (message) => io.stderr.write(`Warning: ${message}\n`) })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}
