import { type Client, createClient } from '../../src/client/client.ts'
import { ACCOUNTS } from './browser.ts'
import type { Account } from './browser-login.ts'
import type { RunningServer } from './cli/process.ts'

/** A client of the server that a test in a browser runs against, for what happens elsewhere at the same time. */
export async function apiOf(server: RunningServer, { username, password }: Account = ACCOUNTS.superuser): Promise<Client> {
  const client = createClient({ url: server.address })
  await client.login(username, password)
  return client
}
