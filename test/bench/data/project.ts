import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { tokenIdFor } from '../../../src/accounts/sessions.ts'
import { TokenIssuer } from '../../../src/auth/token.ts'
import { jwtCodec } from '../../../src/http/jwt-codec.ts'
import type { StoredRecord } from '../../../src/store/store.ts'
import { systemClock } from '../../../src/util/clock.ts'
import { systemRandom } from '../../../src/util/ids.ts'
import { makeProject, type TemporaryFolder } from '../../helpers/fixture.ts'
import { MEMBER_MODEL, member } from './members.ts'

/** Path of the members. */
export const MEMBERS_PATH = '/api/v1/models/member'

/** The secret that signs tokens, on both servers. */
export const SECRET = 'the-benchmarks-keep-no-secret-from-anybody'

const TOKEN_MINUTES = 1440
const CHUNK_CHARACTERS = 1 << 20

/** The highest limit that a project may set. It counts by user, so every connection has its own user. */
const RATE_LIMIT = 100_000

const SETTINGS = `secret_key: ${SECRET}
jwt: { access_token_minutes: ${TOKEN_MINUTES} }
rate_limits: { default: ${RATE_LIMIT}, auth: ${RATE_LIMIT}, upload: ${RATE_LIMIT}, download: ${RATE_LIMIT} }
`

/** How a project differs from that of most benchmarks. */
export interface ProjectOptions {
  /** The model file. */
  readonly model?: string
  /** Settings in YAML, besides those of all benchmarks. */
  readonly settings?: string
  /** Other files, by path. */
  readonly files?: Readonly<Record<string, string>>
}

/** Creates a project with the given numbers of members and superusers in its data folder. */
export async function memberProject(
  records: number,
  users: number,
  { model = MEMBER_MODEL, settings = '', files = {} }: ProjectOptions = {},
): Promise<TemporaryFolder> {
  const project = await makeProject({ ...files, 'admin.config.yaml': SETTINGS + settings, 'models/member.yaml': model })
  const data = dataFolder(project.path)
  await mkdir(data, { mode: 0o700 })
  const file = await open(join(data, 'db.json'), 'w', 0o600)
  try {
    await writeSnapshot(file, records, users)
    await file.sync()
  } finally {
    await file.close()
  }
  return project
}

export const dataFolder = (project: string): string => join(project, 'data')

/** One access token for each superuser, valid on both servers. */
export function accessTokens(users: number): string[] {
  const lifetimes = { access_token_minutes: TOKEN_MINUTES, refresh_token_minutes: TOKEN_MINUTES }
  const tokens = new TokenIssuer({ codec: jwtCodec('HS256', SECRET), lifetimes, clock: systemClock, random: systemRandom })
  return Array.from({ length: users }, (_, index) => {
    const id = index + 1
    return tokens.issue('access', id, tokenIdFor(superuser(id), systemRandom)).token
  })
}

/** Writes the file in the layout of the store, in pieces, since a million members do not fit into one string. */
async function writeSnapshot(file: FileHandle, records: number, users: number): Promise<void> {
  await file.write('{\n"format": 1,\n"sequence": 1,\n"tables": {\n')
  await writeTable(file, 'user', users, superuser)
  await file.write(',\n')
  await writeTable(file, 'member', records, member)
  await file.write('\n}\n}\n')
}

async function writeTable(file: FileHandle, name: string, count: number, record: (id: number) => object): Promise<void> {
  let piece = `${JSON.stringify(name)}: {"next_id": ${count + 1}, "records": [`
  for (let id = 1; id <= count; id++) {
    piece += `${id === 1 ? '' : ','}\n${JSON.stringify(record(id))}`
    if (piece.length < CHUNK_CHARACTERS) continue
    await file.writeFile(piece)
    piece = ''
  }
  await file.writeFile(`${piece}\n]}`)
}

function superuser(id: number): StoredRecord {
  const at = '2023-01-01T00:00:00.000Z'
  return {
    id,
    username: `root${id}`,
    email: `root${id}@example.com`,
    password: 'nobody logs in',
    first_name: null,
    last_name: null,
    is_active: true,
    is_superuser: true,
    last_login: null,
    groups: [],
    permissions: [],
    created_at: at,
    updated_at: at,
  }
}
