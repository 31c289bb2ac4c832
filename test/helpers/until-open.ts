import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const POLL_MS = 50
const MAX_POLLS = 600

/** Resolves once a program accepts connections on a port of loopback. */
export async function untilOpen(port: number, program: string): Promise<void> {
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await setTimeout(POLL_MS)
  }
  throw new Error(`${program} did not start`)
}
