import { Command } from 'commander'
import { resetData } from '../../app.ts'
import { jwtCodec } from '../../http/plugins/jwt-codec.ts'
import { isServed, withApi } from '../api/api-client.ts'
import { type RemoteOptions, withRemoteOptions } from '../api/remote.ts'
import { sourceOf } from '../project/project-options.ts'
import type { Io } from '../terminal/io.ts'

type ResetOptions = RemoteOptions & { seedData?: boolean; json?: boolean }

/** `admin reset`: deletes every record. */
export function resetCommand(io: Io): Command {
  return withRemoteOptions(new Command('reset').description('delete every record and restart ids at 1; also while a server runs'))
    .option('--seed-data', 'create the seed records afterwards, as on the first start')
    .option('--json', 'print how many seed records were created as JSON')
    .addHelpText('after', '\nKeeps the secret that signs tokens, and the snapshots saved by `admin snapshot save`.\n')
    .addHelpText('after', '\nExample:\n  $ admin snapshot save before && admin reset --seed-data\n')
    .action(async (options: ResetOptions) => {
      const seeds = options.seedData === true
      const seeded = await reset(io, options, seeds)
      const rest = seeds ? `created ${seeded} seed records` : 'there are no users now; --seed-data creates the seed records'
      io.stderr.write(`Deleted every record; ${rest}\n`)
      if (options.json === true) io.stdout.write(`${JSON.stringify({ seeded })}\n`)
    })
}

async function reset(io: Io, options: ResetOptions, seeds: boolean): Promise<number> {
  if (await isServed(io, options)) {
    return withApi(io, options, async ({ request }) => (await request('POST', '/reset', { seed_data: seeds })).seeded)
  }
  return resetData(sourceOf(io, options, {}), { seeds }, { tokenCodec: jwtCodec })
}
