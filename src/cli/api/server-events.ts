/** An event of a server's stream. */
export interface ServerEvent {
  readonly type: string
  readonly data: string
  /** Position in the stream, to go on after it; undefined for an event that has none. */
  readonly id: string | undefined
}

/**
 * Parses a stream of Server-Sent Events as an admin server writes it: lines end with LF, and an event has one line of data.
 * Comments are ignored, and an event that is cut off is dropped.
 */
export async function* serverEvents(text: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = ''
  for await (const piece of text) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [type, data, id] = ['event', 'data', 'id'].map((name) => fieldOf(block, name))
      if (type !== undefined && data !== undefined) yield { type, data, id }
    }
  }
}

const fieldOf = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)
