import { readFileSync } from 'node:fs'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { AppError } from '../../../errors.ts'
import { meantOrKnown } from '../../../util/suggest.ts'
import { parseUrl, withDatabaseHost } from '../../../util/urls.ts'

/** Where a database is, and how the connection is secured. The driver completes it by `PGHOST`, `PGUSER`, `PGPASSWORD`, `~/.pgpass` and so on. */
export interface DatabaseAddress {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly applicationName: string
  /** False for a connection without TLS. */
  readonly tls: TlsOptions | false
}

/** Parameters of the address after `?`. */
const PARAMETERS = ['host', 'port', 'user', 'dbname', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name'] as const

/** Modes of TLS as in libpq. Those that fall back to an unencrypted connection are not supported. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/** Name under which the server lists the connections. */
const APPLICATION_NAME = 'admin-folder'

/**
 * Parses the address of a database: `postgres://user@host:5432/database?sslmode=verify-full`, as of libpq.
 *
 * @throws {AppError} CONFIG_INVALID; its message does not contain the password
 */
export function parseAddress(text: string): DatabaseAddress {
  const url = parsedUrl(text)
  const given = parametersOf(url)
  const host = given.host ?? decoded(url.hostname)
  const port = given.port ?? url.port
  const database = given.dbname ?? decoded(url.pathname.slice(1))
  const user = given.user ?? decoded(url.username)
  const password = decoded(url.password)
  if (port !== '' && !/^\d{1,5}$/.test(port)) throw invalid(`The port '${port}' of the address of the database is no number`)
  return {
    ...(host !== '' && { host }),
    ...(port !== '' && { port: Number(port) }),
    ...(user !== '' && { user }),
    ...(password !== '' && { password }),
    ...(database !== '' && { database }),
    applicationName: given.application_name ?? APPLICATION_NAME,
    tls: tlsOf(given),
  }
}

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>

function parsedUrl(text: string): URL {
  const url = parseUrl(withDatabaseHost(text))
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw invalid('The address of the database must have the form postgres://user@host:5432/database')
  }
  return url
}

function parametersOf(url: URL): Parameters {
  const given: Parameters = {}
  for (const [name, value] of url.searchParams) {
    const known = PARAMETERS.find((parameter) => parameter === name)
    if (known === undefined) {
      throw invalid(`Unknown parameter '${name}' in the address of the database${meantOrKnown(name, PARAMETERS)}`)
    }
    given[known] = value
  }
  return given
}

/** As in libpq, `require` encrypts and verifies no certificate, unless `sslrootcert` names the authorities that may have issued it. */
function tlsOf({ sslmode, sslrootcert, sslcert, sslkey }: Parameters): TlsOptions | false {
  const mode = SSL_MODES.find((each) => each === (sslmode ?? 'disable'))
  if (mode === undefined) {
    throw invalid(`The sslmode '${sslmode}' of the database is not supported; use one of: ${SSL_MODES.join(', ')}`)
  }
  if (mode === 'disable') return false
  const isVerified = mode !== 'require' || sslrootcert !== undefined
  return {
    rejectUnauthorized: isVerified,
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    ...(sslrootcert !== undefined && sslrootcert !== 'system' && { ca: readPem('sslrootcert', sslrootcert) }),
    ...(sslcert !== undefined && { cert: readPem('sslcert', sslcert) }),
    ...(sslkey !== undefined && { key: readPem('sslkey', sslkey) }),
  }
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw invalid(`The file '${path}', which '${parameter}' of the address of the database names, cannot be read`, error)
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    throw invalid('The address of the database contains a % that does not begin an escape sequence', error)
  }
}

const invalid = (message: string, cause?: unknown): AppError => new AppError('CONFIG_INVALID', message, { cause })

/**
 * The settings of the driver for a connection.
 *
 * @param acquireTimeoutMs milliseconds in which the connection must be made
 */
export function clientConfig({ tls, applicationName, ...address }: DatabaseAddress, acquireTimeoutMs: number): ClientConfig {
  return {
    ...address,
    ssl: tls === false ? false : { ...tls },
    application_name: applicationName,
    connectionTimeoutMillis: acquireTimeoutMs,
    keepAlive: true,
  }
}
