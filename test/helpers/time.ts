import type { Clock, Timer } from '../../src/util/clock.ts'

/** Time that stands still until it is moved. */
export interface FakeTime {
  readonly clock: Clock
  readonly timer: Timer
  /** Moves the clock, and does what is due by then, in order. */
  advance(milliseconds: number): void
  /** In how many milliseconds each thing is due that waits, soonest first. */
  waits(): number[]
}

export function fakeTime(start: number): FakeTime {
  let now = start
  let waiting: { readonly due: number; readonly work: () => void }[] = []
  return {
    clock: () => now,
    timer(milliseconds, work) {
      const entry = { due: now + milliseconds, work }
      waiting = [...waiting, entry].sort((a, b) => a.due - b.due)
      return () => {
        waiting = waiting.filter((each) => each !== entry)
      }
    },
    advance(milliseconds) {
      const end = now + milliseconds
      for (let [next] = waiting; next !== undefined && next.due <= end; [next] = waiting) {
        waiting = waiting.slice(1)
        now = Math.max(now, next.due)
        next.work()
      }
      now = end
    },
    waits: () => waiting.map(({ due }) => due - now),
  }
}
