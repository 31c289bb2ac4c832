import { type Command, Option } from 'commander'
import { AppError } from '../errors.ts'
import { parseUrl } from '../util/urls.ts'
import type { Io } from './io.ts'
import { type ProjectOptions, withProjectOptions } from './project-options.ts'

/** Options of every command that calls a project's API, locally or on a server. */
export interface RemoteOptions extends ProjectOptions {
  readonly url?: string
  readonly token?: string
  /** False with `--no-code`, of commands that have it. */
  readonly code?: boolean
}

/** A server named by the user, and the access token or API key for it. */
export interface Remote {
  /** The root of its API, without a slash at the end. */
  readonly api: string
  readonly token: string
}

/** Options of a command that reads the description of a project's API, which needs no data folder. */
export type DocumentOptions = Omit<RemoteOptions, 'data'>

/** Adds `--project`, `--data`, `--url` and `--token` to a command. */
export const withRemoteOptions = (command: Command): Command => withServerOptions(withProjectOptions(command))

/** Adds `--url` and `--token` to a command. */
export function withServerOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'call the server at this address instead of a project folder (default: ADMIN_URL)'))
    .addOption(
      new Option(
        '--token <token>',
        'access token or API key for that server; prefer ADMIN_TOKEN or ADMIN_API_KEY, which other users cannot see',
      ),
    )
}

/** Adds `--no-code` to a command that writes records. */
export const withCodeOption = (command: Command): Command =>
  command.option('--no-code', 'call no hooks of the project; only while no server runs')

/**
 * Returns the server that the command line or the environment names; undefined for a project folder.
 *
 * Options have precedence over the environment: with `--project` or `--data`, `ADMIN_URL` is ignored.
 *
 * @throws {AppError} USAGE; the message never contains the token
 */
export function remoteOf({ env }: Io, { url, token, project, data }: RemoteOptions): Remote | undefined {
  const folder = project === undefined ? (data === undefined ? undefined : '--data') : '--project'
  if (url !== undefined && folder !== undefined) throw usageError(`--url names a server and ${folder} a folder; use one of them`)
  const address = url ?? (folder === undefined ? env.ADMIN_URL || undefined : undefined)
  if (address === undefined) {
    if (token !== undefined) {
      const remedy = folder === undefined ? 'name it with --url or ADMIN_URL' : `${folder} names a folder`
      throw usageError(`--token needs a server; ${remedy}`)
    }
    return undefined
  }
  const api = apiRootAt(address, url === undefined ? 'ADMIN_URL' : '--url')
  const given = (token ?? (env.ADMIN_TOKEN || env.ADMIN_API_KEY) ?? '').trim()
  if (given === '') {
    throw usageError(
      `No token for ${api}; set ADMIN_API_KEY to an API key, or ADMIN_TOKEN (\`admin token\` prints one on the machine of the server)`,
    )
  }
  if (!BEARER_TOKEN.test(given)) throw usageError('The token is invalid: it contains characters that are not allowed in a token')
  return { api, token: given }
}

/** RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/

/** Matches an address that is the root of an API already, for servers whose `api_version` is not `v1`. */
const API_ROOT = /\/api\/[^/]+$/

function apiRootAt(address: string, name: string): string {
  const example = 'such as https://example.com/base'
  const url = parseUrl(address)
  if (url === undefined) throw usageError(`${name} is not a URL; write one ${example}`)
  const { protocol, username, password, search, hash, href } = url
  if (protocol !== 'http:' && protocol !== 'https:') throw usageError(`${name} must begin with http:// or https://, ${example}`)
  if (username + password !== '') throw usageError(`${name} must not contain a user name or password; use a token instead`)
  if (search + hash !== '') throw usageError(`${name} must not have a query or fragment; write one ${example}`)
  const root = href.replace(/\/+$/, '')
  return API_ROOT.test(root) ? root : `${root}/api/v1`
}

const usageError = (message: string): AppError => new AppError('USAGE', message)
