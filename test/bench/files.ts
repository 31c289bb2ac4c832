import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { startServer } from '../helpers/cli/process.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { accessTokens, MEMBERS_PATH, SECRET } from './data/project.ts'
import { CONNECTIONS } from './load/load.ts'
import { postgresProject } from './postgres/database.ts'
import { withMembers } from './processes/members.ts'
import { residentMemory } from './processes/resident-memory.ts'
import { type Figure, failureOf, limitedFigure, median, percentile, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

const KIB = 1 << 10
const MIB = 1 << 20
const LARGE = 256 * MIB
const HUGE = 1024 * MIB
const SMALL = 100_000
const READ = 30_000

/** Pairs of measurements of a row. */
const PAIRS = 3
/** Small files of a measurement, and how many of them at once. */
const FILES = 400
const AT_ONCE = 8
/** Reads of a measurement. */
const READS = 6000
/** What a database receives and sends at least, in bytes a second. */
const DATABASE_RATE = 50_000_000
/** How much the memory of the server may grow while huge files pass through it, in bytes. */
const MAX_GROWTH = 64 * MIB

const MODEL = `
name: Member
fields:
  - { name: name, type: string }
  - { name: document, type: file, max_size: 2 GiB }
`

const SETTINGS = 'files: { max_size: 2 GiB, pending_bytes: 100 GiB, min_free: 0 }\n'

/** The servers under comparison. */
interface Servers {
  readonly ours: string
  readonly plain: string
  readonly hapi: string
  readonly pid: number
  /** Folder of the bare servers. */
  readonly folder: string
}

const FIELD_PATH = '/api/v1/files/member/document'

const ROWS: Readonly<Record<string, (name: string, servers: Servers) => Promise<Figure>>> = {
  'upload of 256 MiB, beside a bare server that pipes to a file and syncs': (name, servers) =>
    pairs(name, 0.85, 'MiB/s', {
      ours: () => rate(LARGE, upload(`${servers.ours}${FIELD_PATH}`, LARGE)),
      bare: () => rate(LARGE, upload(`${servers.plain}/receive`, LARGE)),
    }),
  'upload of 256 MiB as a form, beside the same server': (name, servers) =>
    pairs(name, 0.75, 'MiB/s', {
      ours: () => rate(LARGE, upload(`${servers.ours}${FIELD_PATH}`, LARGE, true)),
      bare: () => rate(LARGE, upload(`${servers.plain}/receive`, LARGE)),
    }),
  'uploads of 100 KB, 8 at once, beside write, sync, rename and sync of the folder': (name, servers) =>
    pairs(name, 0.5, '/s', {
      ours: async () => (FILES * 1000) / (await timed(() => uploadMany(`${servers.ours}${FIELD_PATH}`))),
      bare: async () => {
        const query = `files=${FILES}&size=${SMALL}&at_once=${AT_ONCE}`
        return (FILES * 1000) / Number(await (await fetch(`${servers.plain}/store?${query}`)).text())
      },
    }),
  'reads of a file of 30 KB, beside hapi, jwt and readFile': (name, servers) => reads(name, servers, 200),
  'reads of a file of 30 KB that has not changed, beside hapi and jwt': (name, servers) => reads(name, servers, 304),
  'read of 1 GiB, beside createReadStream': async (name, { ours, plain, folder }) => {
    const url = await attached(ours, HUGE)
    await writeLarge(join(folder, 'large'))
    return pairs(name, 0.85, 'MiB/s', {
      ours: () => rate(HUGE, download(`${ours}${url}`)),
      bare: () => rate(HUGE, download(`${plain}/large`)),
    })
  },
  'memory of the server while 1 GiB is uploaded and read': async (name, { ours, pid }) => {
    const idle = (await residentMemory(pid))?.now ?? 0
    const url = await attached(ours, HUGE)
    await download(`${ours}${url}`)
    const { peak } = (await residentMemory(pid)) ?? { peak: Number.NaN }
    return limitedFigure({ bench: 'files', name, unit: 'bytes', ours: Math.max(0, peak - idle) * MIB }, MAX_GROWTH)
  },
  'p99 of reads of records while 1 GiB is uploaded, beside idle': async (name, { ours }) => {
    const url = `${ours}${MEMBERS_PATH}/1`
    const idle = percentile(await latencies(url, () => 500), 99)
    let isUploading = true
    const uploading = upload(`${ours}${FIELD_PATH}`, HUGE).finally(() => {
      isUploading = false
    })
    const busy = percentile(await latencies(url, (done) => (isUploading ? done + 1 : done)), 99)
    await uploading
    return { bench: 'files', name, unit: 'ms', ours: busy, baseline: idle, ratio: busy / idle, bar: { is: 'at most', ratio: 3 } }
  },
}

/** Compares uploads and reads of files with bare servers, and watches the memory of ours. Then the same on PostgreSQL, beside a fixed rate. */
export async function filesBench(): Promise<Result[]> {
  return [...(await besideBareServers()), ...(await inDatabase())]
}

/** The rates of a file of 256 MiB whose bytes are in the database. */
async function inDatabase(): Promise<Result[]> {
  const name = 'upload to PostgreSQL and read from it'
  say(`files: ${name}`)
  const database = await postgresProject(MODEL, SETTINGS)
  const server = await startServer(['--project', database.project.path])
  try {
    const received: number[] = []
    const sent: number[] = []
    for (let count = 0; count < PAIRS; count++) {
      const begin = performance.now()
      const url = await attached(server.address, LARGE)
      received.push((performance.now() - begin) / 1000)
      sent.push((await timed(() => download(`${server.address}${url}`))) / 1000)
    }
    return [
      databaseFigure('upload of 256 MiB to PostgreSQL, beside 50 MB/s', received),
      databaseFigure('read of 256 MiB from PostgreSQL, beside 50 MB/s', sent),
    ]
  } catch (error) {
    return [failureOf({ bench: 'files', name }, error)]
  } finally {
    await server.stop()
    await database.remove()
  }
}

async function besideBareServers(): Promise<Result[]> {
  await using folder = await temporaryFolder()
  const bare = fork(join(import.meta.dirname, 'processes/bare-files.mjs'), [folder.path, SECRET], {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    const addresses = await addressesOf(bare)
    return await withMembers(
      10,
      undefined,
      async (ours, _, pid) => {
        const results: Result[] = []
        for (const [name, row] of Object.entries(ROWS)) {
          say(`files: ${name}`)
          const figure = row(name, { ours, pid, folder: folder.path, ...addresses })
          results.push(await figure.catch((error: unknown) => failureOf({ bench: 'files', name }, error)))
        }
        return results
      },
      { model: MODEL, settings: SETTINGS },
    )
  } finally {
    bare.disconnect()
  }
}

async function addressesOf({ stdout }: ChildProcess): Promise<Pick<Servers, 'plain' | 'hapi'>> {
  if (stdout === null) throw new Error('The bare servers have no output')
  const [line] = await once(stdout, 'data')
  return JSON.parse(String(line)) as Pick<Servers, 'plain' | 'hapi'>
}

/** Measures both sides in turn, after one of each that warms up; the side that is first alternates. */
async function pairs(
  name: string,
  least: number,
  unit: string,
  { ours, bare }: { readonly ours: () => Promise<number>; readonly bare: () => Promise<number> },
): Promise<Figure> {
  const found: { ours: number; bare: number }[] = []
  for (let pair = 0; pair <= PAIRS; pair++) {
    const inOrder = pair % 2 === 0 ? [await ours(), await bare()] : [await bare(), await ours()].reverse()
    if (pair > 0) found.push({ ours: inOrder[0] ?? 0, bare: inOrder[1] ?? 0 })
  }
  const [figure, baseline] = [median(found.map((each) => each.ours)), median(found.map((each) => each.bare))]
  const ratio = median(found.map((each) => each.ours / each.bare))
  return { bench: 'files', name, unit, ours: figure, baseline, ratio, bar: { is: 'at least', ratio: least } }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

function databaseFigure(name: string, seconds: readonly number[]): Figure {
  const [ours, baseline] = [LARGE / MIB / median(seconds), DATABASE_RATE / MIB]
  return { bench: 'files', name, unit: 'MiB/s', ours, baseline, ratio: ours / baseline, bar: { is: 'at least', ratio: 1 } }
}

const rate = async (bytes: number, work: Promise<unknown>): Promise<number> => (bytes / MIB) * (1000 / (await timed(() => work)))

const TOKENS = accessTokens(CONNECTIONS)

const agent = new Agent({ keepAlive: true })

let sent = 0

/** Uploads bytes that no other upload has. @returns the body of the answer */
async function upload(url: string, size: number, isForm = false, token = TOKENS[0]): Promise<string> {
  const piece = Buffer.alloc(Math.min(size, 64 * KIB), 'x')
  piece.write(`${process.pid}-${sent++}`)
  const head = isForm ? '--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' : ''
  const tail = isForm ? '\r\n--cut--\r\n' : ''
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': isForm ? 'multipart/form-data; boundary=cut' : 'text/plain',
    'content-length': head.length + size + tail.length,
  }
  const asking = request(url, { method: 'POST', headers, agent })
  const answered = once(asking, 'response')
  if (head !== '') asking.write(head)
  for (let left = size; left > 0; left -= piece.length) {
    if (!asking.write(left < piece.length ? piece.subarray(0, left) : piece)) await once(asking, 'drain')
  }
  asking.end(tail)
  const [response] = await answered
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  const text = Buffer.concat(parts).toString()
  if (response.statusCode !== 201) throw new Error(`An upload was answered ${response.statusCode}: ${text.slice(0, 500)}`)
  return text
}

/** Uploads small files. A user has only four uploads at a time, so each connection has a user of its own. */
async function uploadMany(url: string): Promise<void> {
  let left = FILES
  const work = async (_: unknown, index: number) => {
    while (left-- > 0) await upload(url, SMALL, false, TOKENS[index])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Uploads a file and creates a record that has it. @returns the address of the file */
async function attached(ours: string, size: number): Promise<string> {
  const { data: uploads } = JSON.parse(await upload(`${ours}${FIELD_PATH}`, size))
  const response = await fetch(`${ours}${MEMBERS_PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKENS[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { name: 'a', document: uploads[0].id } }),
  })
  const { data } = (await response.json()) as { data: { document: { url: string } } }
  return data.document.url
}

/** Reads an answer of a status to its end. @returns its entity tag */
async function download(
  url: string,
  { token = TOKENS[0], tag }: { readonly token?: string | undefined; readonly tag?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}`, ...(tag !== undefined && { 'if-none-match': tag }) }
  const asking = request(url, { headers, agent }).end()
  const [response] = await once(asking, 'response')
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== (tag === undefined ? 200 : 304)) throw new Error(`${url} was answered ${response.statusCode}`)
  return String(response.headers.etag ?? '')
}

async function reads(name: string, { ours, hapi }: Servers, status: 200 | 304): Promise<Figure> {
  const url = `${ours}${await attached(ours, READ)}`
  const perSecond = async (address: string) => {
    const tag = await download(address)
    let left = READS
    const work = async (_: unknown, index: number) => {
      while (left-- > 0) await download(address, { token: TOKENS[index], ...(status === 304 && { tag }) })
    }
    return (READS * 1000) / (await timed(() => Promise.all(Array.from({ length: AT_ONCE }, work))))
  }
  return pairs(name, 0.8, '/s', { ours: () => perSecond(url), bare: () => perSecond(`${hapi}/small`) })
}

/** The times of reads, one after the other, in milliseconds. @param more tells how many there are in all, by the number that is done */
async function latencies(url: string, more: (done: number) => number): Promise<number[]> {
  const found: number[] = []
  while (found.length < more(found.length)) found.push(await timed(() => download(url)))
  return found
}

/** Writes the file that the bare server sends. */
async function writeLarge(path: string): Promise<void> {
  const file = await open(path, 'w')
  const piece = Buffer.alloc(4 * MIB, 'x')
  for (let size = 0; size < HUGE; size += piece.length) await file.write(piece)
  await file.close()
}
