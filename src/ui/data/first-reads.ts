import type { QueryClient } from '@tanstack/react-query'
import { markFirstContents } from '../parts/lazy/first-contents.ts'
import { whenIdle } from '../when-idle.ts'

/** Reports the first contents of the page once its first reads have ended and the browser has time. */
export function watchFirstReads(queries: QueryClient): void {
  let isDue = false
  const check = () => {
    isDue = false
    if (queries.isFetching() > 0) return
    stop()
    markFirstContents()
  }
  const stop = queries.getQueryCache().subscribe(() => {
    if (isDue || queries.isFetching() > 0) return
    isDue = true
    whenIdle(check)
  })
}
