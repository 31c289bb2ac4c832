import { type Command, Option } from 'commander'
import { AppError } from '../../errors.ts'
import { type ProjectOptions, withProjectOptions } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'

/** Options of every command that asks the API of a project, wherever that is served. */
export interface RemoteOptions extends ProjectOptions {
  readonly url?: string
  readonly token?: string
}

/** A server that was named, and what it is asked with. */
export interface Remote {
  /** The root of its API, without a slash at the end. */
  readonly api: string
  readonly token: string
}

/** Gives a command the options that name a project and its data, or a server that holds them. */
export function withRemoteOptions(command: Command): Command {
  return withProjectOptions(command)
    .addOption(new Option('--url <url>', 'ask the server at this address, rather than for a folder (default: ADMIN_URL)'))
    .addOption(new Option('--token <token>', 'access token for that server; ADMIN_TOKEN holds it without showing it to others'))
}

/**
 * The server that the command line or the environment names; undefined when a project folder is meant. What the command line says
 * goes before the environment, whether it names a server or a folder.
 *
 * @throws {AppError} USAGE; never with the token in it
 */
export function remoteOf({ env }: Io, { url, token, project, data }: RemoteOptions): Remote | undefined {
  const folder = project === undefined ? (data === undefined ? undefined : '--data') : '--project'
  if (url !== undefined && folder !== undefined) throw wrong(`--url names a server and ${folder} a folder; choose one`)
  const address = url ?? (folder === undefined ? env.ADMIN_URL || undefined : undefined)
  if (address === undefined) {
    if (token !== undefined) throw wrong('--token is for a server elsewhere; name it with --url or ADMIN_URL')
    return undefined
  }
  const api = apiRootAt(address, url === undefined ? 'ADMIN_URL' : '--url')
  const given = (token ?? env.ADMIN_TOKEN ?? '').trim()
  if (given === '') throw wrong(`No token for ${api}; put one into ADMIN_TOKEN (\`admin token\` prints one where the server is)`)
  if (!BEARER_TOKEN.test(given)) throw wrong('The token is none: it has characters that no token has')
  return { api, token: given }
}

/** RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[\w.~+/-]+=*$/

/** An address that has the root of an API in it already: where `api_version` is another. */
const API_ROOT = /\/api\/[^/]+$/

function apiRootAt(address: string, name: string): string {
  const example = 'such as https://example.com/base'
  if (!URL.canParse(address)) throw wrong(`${name} is no address; write one ${example}`)
  const { protocol, username, password, search, hash, href } = new URL(address)
  if (protocol !== 'http:' && protocol !== 'https:') throw wrong(`${name} must begin with http:// or https://, ${example}`)
  if (username + password !== '') throw wrong(`${name} must hold no name and no password; the token is what it is asked with`)
  if (search + hash !== '') throw wrong(`${name} must end with a path, ${example}`)
  const root = href.replace(/\/+$/, '')
  return API_ROOT.test(root) ? root : `${root}/api/v1`
}

const wrong = (words: string): AppError => new AppError('USAGE', words)
