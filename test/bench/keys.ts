import { accessTokens, MEMBERS_PATH } from './data/project.ts'
import { CONNECTIONS } from './load/load.ts'
import { measurePairs, SHORT_TURN, type Side } from './load/pairs.ts'
import type { BenchOptions } from './options.ts'
import { withMembers } from './processes/members.ts'
import type { Figure, Result } from './results/figures.ts'
import { atEachSize } from './results/sizes.ts'

const SIZES = [10_000]
const BAR = { is: 'at least', ratio: 0.95 } as const

/** The scopes of the keys, by the name of the figure. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  'reads with a key for *, beside an access token': ['*'],
  'reads with a key for view_member, beside an access token': ['view_member'],
}

/** Compares reads of a record with an API key with those with an access token, on one server. */
export function keysBench(options: BenchOptions): Promise<Result[]> {
  return atEachSize('keys', Object.keys(KEYS), options.records ?? SIZES, async (records) => benchAt(records, options))
}

function benchAt(records: number, { seconds, profile }: BenchOptions): Promise<Figure[]> {
  const measure = async (address: string): Promise<Figure[]> => {
    // The keys have other owners than the tokens, so that no user reaches the limit of requests in a minute.
    const all = accessTokens(2 * CONNECTIONS)
    const [tokens, owners] = [all.slice(0, CONNECTIONS), all.slice(CONNECTIONS)]
    const reading = (credentials: readonly string[]): Side => ({
      target: { address, tokens: credentials },
      requests: (slice) => {
        let number = slice * 1000
        return () => ({ method: 'GET', path: `${MEMBERS_PATH}/${(number++ % records) + 1}` })
      },
    })
    const figures: Figure[] = []
    for (const [name, scopes] of Object.entries(KEYS)) {
      const keys = await Promise.all(owners.map((token) => keyOf(address, token, scopes)))
      const pacing = { seconds, turn: SHORT_TURN, count: 9 }
      const { ours, bare, ratio, errors, firstError, generatorLoad } = await measurePairs(reading(keys), reading(tokens), pacing)
      if (firstError !== undefined) throw new Error(`${errors} answers were errors; the first: ${firstError}`)
      const details = {
        ...{ p50: ours.p50, p99: ours.p99, baseline_p50: bare.p50, baseline_p99: bare.p99 },
        generator_load: generatorLoad,
      }
      const result = { ours: ours.perSecond, baseline: bare.perSecond, ratio }
      figures.push({ bench: 'keys', name, records, unit: '/s', ...result, bar: BAR, details })
    }
    return figures
  }
  return withMembers(records, profile, measure, { users: 2 * CONNECTIONS })
}

async function keyOf(address: string, token: string, scopes: readonly string[]): Promise<string> {
  const response = await fetch(`${address}/api/v1/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes }),
  })
  const { data } = (await response.json()) as { data: { key: string } }
  return data.key
}
