import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Why tests that must know the sender of a request are skipped; undefined on Linux. */
export const NO_SOCKET_OWNERS = process.platform === 'linux' ? undefined : 'the owner of a connection is known on Linux only'

/** The process, of the given ones, that has the end of a connection with this local port on the loopback interface. */
export function ownerOf(port: number, pids: readonly number[]): number | undefined {
  const inode = inodeOf(port)
  return inode === undefined ? undefined : pids.find((pid) => linksOf(pid).includes(`socket:[${inode}]`))
}

function inodeOf(port: number): string | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'latin1').split('\n')) {
      const [, local, , , , , , , , inode] = line.trim().split(/\s+/)
      if (local?.endsWith(suffix) && inode !== '0') return inode
    }
  }
  return undefined
}

function linksOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map((name) => readLink(`${folder}/${name}`))
  } catch {
    return [] // The process has ended.
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // Closed meanwhile.
  }
}
