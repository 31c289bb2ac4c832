import type { Database } from '../connection/database.ts'
import { Listener } from '../connection/listener.ts'
import { sql } from '../sql.ts'

/** Time between two notifications of a test, and their number. */
const SEND_MS = 100
const MAX_SENT = 20

/** A channel that nothing else uses. */
const CHANNEL = 'admin_test'

/**
 * Tests whether notifications that a database sends arrive at another connection. Takes up to two seconds.
 *
 * @param address of the listening connection
 * @param payload a text that no other test sends
 */
export async function notificationsArrive(database: Database, address: string, payload: string): Promise<boolean> {
  let hasArrived = false
  const listener = new Listener(address, CHANNEL, (heard) => {
    hasArrived ||= heard === payload
  })
  try {
    for (let sent = 0; sent < MAX_SENT && !hasArrived; sent++) {
      await database.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
      await new Promise((resolve) => void setTimeout(resolve, SEND_MS))
    }
    return hasArrived
  } finally {
    listener.close()
  }
}
