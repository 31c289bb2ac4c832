import type { Actor } from '../../auth/permissions.ts'
import type { GeneratedDefault } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import { type Clock, isoTime } from '../../util/clock.ts'
import { type Random, randomUuid } from '../../util/ids.ts'
import type { Json } from '../../util/json.ts'
import type { RecordData } from './write-requests.ts'

/** The sources of generated values. */
export interface DefaultSources {
  readonly clock: Clock
  readonly random: Random
}

/** The values of a new record with those that are generated when a request omits them. */
export function withGeneratedDefaults(model: Model, actor: Actor, data: RecordData, sources: DefaultSources): RecordData {
  if (model.generated.length === 0) return data
  const values: Record<string, Json> = {}
  for (const { name, generated } of model.generated) {
    if (!Object.hasOwn(data, name)) values[name] = GENERATORS[generated](sources, actor)
  }
  return { ...values, ...data }
}

const GENERATORS: Readonly<Record<GeneratedDefault, (sources: DefaultSources, actor: Actor) => Json>> = {
  now: ({ clock }) => isoTime(clock()),
  today: ({ clock }) => isoTime(clock()).slice(0, 10),
  uuid: ({ random }) => randomUuid(random),
  // The server and the command line are no user.
  user: (_, { userId }) => userId ?? null,
}
