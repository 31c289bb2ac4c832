import type lunrType from 'lunr'
import type MiniSearchType from 'minisearch'
import type { Member } from '../data/members.ts'
import type { Kind } from './questions.ts'

/** A search engine with an index of members. */
export interface Engine {
  /** Finds the first page of matching members and returns the number of all matches. */
  count(kind: Kind, question: string): number
}

export const ENGINES = ['ours', 'minisearch', 'lunr'] as const
export type EngineName = (typeof ENGINES)[number]

const FIELDS = ['username', 'email', 'first_name', 'last_name', 'bio'] as const
const PAGE = 20
/** Number of records that the server indexes at a time. */
const BATCH = 500

/** Builds an engine from members. Libraries are imported on demand, so that each is in the memory of its own process only. */
export const MAKERS: Readonly<Record<EngineName, () => Promise<(members: readonly Member[]) => Promise<Engine>>>> = {
  ours: async () => {
    const { LiveIndex } = await import('../../../src/search/live-index.ts')
    const { readQuery } = await import('../../../src/search/query.ts')
    return async (members) => {
      const live = new LiveIndex({
        fields: FIELDS.map((name) => ({ name, weight: name === 'username' ? 1 : 0.5 })),
        async *records() {
          for (let at = 0; at < members.length; at += BATCH) yield members.slice(at, at + BATCH).map((each) => ({ ...each }))
        },
        now: () => performance.now(),
        later: setImmediate,
        pause: () => new Promise((resolve) => setImmediate(resolve)),
        failed: (error) => {
          throw error
        },
      })
      await live.build()
      return {
        count(kind, question) {
          const query = readQuery(question, { fuzzy: kind === 'fuzzy' })
          const words = query.words.map((word) => ({ ...word, prefix: kind === 'prefix' }))
          return live.ready?.search({ ...query, words }, { offset: 0, limit: PAGE }).total ?? 0
        },
      }
    }
  },

  minisearch: async () => {
    const { default: MiniSearch } = (await import('minisearch')) as { default: typeof MiniSearchType }
    return async (members) => {
      const index = new MiniSearch<Member>({ fields: [...FIELDS] })
      index.addAll(members)
      const fuzzy = (term: string) => (term.length < 3 ? 0 : term.length < 6 ? 1 : 2)
      return {
        count(kind, question) {
          const options = { combineWith: 'AND', prefix: kind === 'prefix', ...(kind === 'fuzzy' ? { fuzzy } : {}) } as const
          const found = index.search(question, options)
          found.slice(0, PAGE)
          return found.length
        },
      }
    }
  },

  lunr: async () => {
    const { default: lunr } = (await import('lunr')) as { default: typeof lunrType }
    return async (members) => {
      const index = lunr(function () {
        this.ref('id')
        for (const field of FIELDS) this.field(field)
        for (const member of members) this.add(member)
      })
      return {
        count(kind, question) {
          const found = index.query((query) => {
            for (const term of lunr.tokenizer(question).map(String)) {
              const presence = lunr.Query.presence.REQUIRED
              if (kind === 'prefix') query.term(term, { presence, wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false })
              else if (kind === 'fuzzy') query.term(term, { presence, editDistance: term.length < 6 ? 1 : 2 })
              else query.term(term, { presence })
            }
          })
          found.slice(0, PAGE)
          return found.length
        },
      }
    }
  },
}
