import type { Io } from './io.ts'

const WIDTH = 24
/** Redraw interval: visible movement at no measurable cost. */
const INTERVAL_MS = 100

/**
 * Passes items through and shows a progress bar on stderr. Without a terminal, or with a `total` of 0, it shows nothing.
 *
 * @param done returns how much of `total` is done
 */
export async function* withProgress<T>(
  io: Io,
  label: string,
  total: number,
  done: () => number,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  const shows = io.stderr.isTTY === true && total > 0
  let next = 0
  try {
    for await (const item of items) {
      yield item
      if (!shows || performance.now() < next) continue
      next = performance.now() + INTERVAL_MS
      io.stderr.write(`\r${bar(label, done() / total)}`)
    }
  } finally {
    if (shows) io.stderr.write('\r\u001B[K')
  }
}

/** `post  ██████░░░░  60 %` */
function bar(label: string, share: number): string {
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `${label}  ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)}  ${Math.floor(Math.min(1, share) * 100)} %`
}
