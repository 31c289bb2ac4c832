import type { DescribedApi } from '../../openapi/typescript/described-document.ts'
import type { Io } from '../terminal/io.ts'
import { withApi } from './api-client.ts'
import { type DocumentOptions, remoteOf } from './remote.ts'

/** The OpenAPI document of the server that the command line or the environment names; undefined for a project folder. */
export async function remoteDocument(io: Io, options: DocumentOptions): Promise<DescribedApi | undefined> {
  if (remoteOf(io, options) === undefined) return undefined
  return withApi(io, options, ({ request }) => request('GET', '/openapi.json'))
}
