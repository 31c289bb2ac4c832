import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Why tests that must know the sender of a request are skipped; undefined on Linux. */
export const NO_SOCKET_OWNERS = process.platform === 'linux' ? undefined : 'the owner of a connection is known on Linux only'

/** The system may leave a connection out of a table that changes while it is read. */
const ATTEMPTS = 5

/**
 * The process, of the given ones, that has the other end of a connection on the loopback interface. Other connections may have the same port
 * at one of their ends, so both are compared.
 */
export function ownerOf(socket: Pick<Socket, 'localPort' | 'remotePort'>, pids: readonly number[]): number | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const inode = inodeOf(socket)
    const owner = inode === undefined ? undefined : pids.find((pid) => linksOf(pid).includes(`socket:[${inode}]`))
    if (owner !== undefined) return owner
  }
  return undefined
}

function inodeOf({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): string | undefined {
  const [local, remote] = [suffixOf(remotePort), suffixOf(localPort)]
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'latin1').split('\n')) {
      const [, from, to, , , , , , , inode] = line.trim().split(/\s+/)
      if (from?.endsWith(local) && to?.endsWith(remote) && inode !== '0') return inode
    }
  }
  return undefined
}

const suffixOf = (port = 0): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`

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
