import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isObject } from './json.ts'

/** Use of the heap of a process, in bytes. */
export interface HeapUse {
  /** What was reachable at the last full collection of garbage; 0 before the first one. */
  readonly used: number
  /** What the process may use at most. */
  readonly limit: number
}

/** The heap of a process. */
export interface Heap {
  /** Costs next to nothing. */
  use(): HeapUse
  /** Collects all garbage. Stops the process for a second or so for each GiB. */
  collect(): void
}

/** The part of the heap from which it counts as nearly full, and the room that must be left in a small one: 64 MiB. */
const NEARLY = 0.85
const LEAST_ROOM = 64 << 20

/** True if the rest of the heap is what requests need. */
export const isNearlyFull = ({ used, limit }: HeapUse): boolean => used >= Math.min(NEARLY * limit, limit - LEAST_ROOM)

/**
 * The heap of this process. Its statistics include garbage, which may be most of it, so they are read after each full collection. V8 makes
 * these the more often the less room is left: at the latest when half of the room is used.
 *
 * Only the old generation is counted, whose limit is the one that ends a process.
 */
export function systemHeap(): Heap {
  shared ??= observedHeap()
  return shared
}

let shared: Heap | undefined

function observedHeap(): Heap {
  let use: HeapUse = { ...oldGeneration(), used: 0 }
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isFull)) use = oldGeneration()
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    use: () => use,
    collect() {
      setFlagsFromString('--expose-gc')
      runInNewContext('gc()')
      use = oldGeneration()
    },
  }
}

const isFull = (entry: PerformanceEntry): boolean =>
  'detail' in entry && isObject(entry.detail) && entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR

/** V8's limit of the heap includes the three parts of the young generation, by default of at most 16 MiB each. */
const YOUNG_PARTS = 3
const LEAST_YOUNG = YOUNG_PARTS * (16 << 20)
const NOT_OLD = new Set(['new_space', 'new_large_object_space', 'read_only_space'])

/**
 * The limit counts pages. Some gaps in them are too small to be filled: texts of 100,000 bytes reach the limit when they are three quarters
 * of it. Where objects are small, pages are a tenth larger than these after a full collection.
 */
const PART_OF_PAGES = 0.9

function oldGeneration(): HeapUse {
  let [objects, pages] = [0, 0]
  let young = LEAST_YOUNG
  for (const space of getHeapSpaceStatistics()) {
    const { space_name: name, space_used_size: used, space_available_size: free, space_size: size } = space
    if (name === 'new_space') young = Math.max(young, YOUNG_PARTS * (used + free))
    if (NOT_OLD.has(name)) continue
    objects += used
    pages += size
  }
  return { used: Math.max(objects, PART_OF_PAGES * pages), limit: getHeapStatistics().heap_size_limit - young }
}
