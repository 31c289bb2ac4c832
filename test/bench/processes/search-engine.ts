// Builds the search index of an engine (the first argument) with a number of members (the second), and reports times and memory.
import { setImmediate as turn } from 'node:timers/promises'
import { member } from '../data/members.ts'
import { type EngineName, MAKERS } from '../search/engines.ts'
import { KINDS, questionsOf } from '../search/questions.ts'
import { memoryInUse } from './memory.mjs'

/** Number of timed runs of each query, after one run without timing. Fewer queries run if they exceed `MAX_KIND_MS`. */
const ROUNDS = 3
const MAX_KIND_MS = 15_000

const [engine = '', count = ''] = process.argv.slice(2)
const members = Array.from({ length: Number(count) }, (_, index) => member(index + 1))
const make = await MAKERS[engine as EngineName]()
const before = await memoryInUse()
const pauses = watchPauses()
const begin = performance.now()
const index = await make(members)
const milliseconds = performance.now() - begin
const longestPause = await pauses.stop()
const bytes = (await memoryInUse()) - before
const searches = KINDS.map((kind) => {
  const questions = questionsOf(kind, members.length)
  const found: number[] = []
  const deadline = performance.now() + MAX_KIND_MS
  for (const question of questions) if (performance.now() < deadline) found.push(index.count(kind, question))
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const question of questions.slice(0, found.length)) {
      if (times.length > 0 && performance.now() > deadline + MAX_KIND_MS) break
      const start = performance.now()
      index.count(kind, question)
      times.push(performance.now() - start)
    }
  }
  return { kind, found: found.reduce((sum, each) => sum + each, 0) / found.length, times }
})
process.stdout.write(JSON.stringify({ milliseconds, longestPause, bytes, resident: process.memoryUsage.rss(), searches }))

/** Measures the longest time that the event loop was blocked, in milliseconds. */
function watchPauses(): { stop(): Promise<number> } {
  let longest = 0
  let isOver = false
  const watching = (async () => {
    for (let last = performance.now(); !isOver; ) {
      await turn()
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return longest
    },
  }
}
