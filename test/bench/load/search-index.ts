import { MEMBERS_PATH } from '../data/project.ts'
import { ask } from './ask.ts'
import type { Target } from './load.ts'

/** Maximum number of searches. Each waits some seconds for the index before its 503 response. */
const MAX_ATTEMPTS = 200

/** Waits for the search index of the members, so that building it in the background does not affect the measurement. */
export async function searchIndexMade(target: Target): Promise<void> {
  const search = { method: 'GET', path: `${MEMBERS_PATH}/search?q=ann&page_size=1` } as const
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const answered = await ask(target, search).catch(() => undefined)
    if (answered !== undefined) return
  }
  await ask(target, search)
}
