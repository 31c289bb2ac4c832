/** The number of turns of the event loop during some work: other work has had as many. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const next = () => {
    turns++
    if (!isOver) setImmediate(next)
  }
  const first = setImmediate(next)
  await work()
  isOver = true
  clearImmediate(first)
  return turns
}
