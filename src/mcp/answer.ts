/** Maximum length of the text of an answer, in characters (UTF-16 code units). */
export const MAX_ANSWER_LENGTH = 25_000

/** Room for what an answer says beside its items. */
const RESERVE = 600

/** What a tool answers: JSON, and a text where that is not the JSON itself. */
export interface Answer {
  readonly json: Readonly<Record<string, unknown>>
  readonly text?: string
}

/** A part of a list. */
export interface ListPart {
  /** The items from the offset on: all that are there, or some of them. */
  readonly items: readonly unknown[]
  /** Number of items before them. */
  readonly offset: number
  /** Number of all items. */
  readonly total: number
  /** What the items are, such as `records`. */
  readonly noun: string
  /** What makes an answer shorter, so that it has more items: `name fewer fields`. */
  readonly shorter?: string
  /** Further members of the answer. */
  readonly others?: Readonly<Record<string, unknown>>
  /** Says how the rest of a cut value is read. */
  readonly rest?: (member: string) => string
  /** How the items after those of an answer are read, for a tool that takes no offset. */
  readonly way?: string
}

/**
 * As many items as an answer has room for, with the way to the rest: the same call with the offset of `next`. An item that is longer
 * than an answer has its longest values cut.
 */
export function listAnswer({ items, offset, total, noun, shorter, others = {}, rest, way }: ListPart): Answer {
  const room = MAX_ANSWER_LENGTH - RESERVE - JSON.stringify(others).length
  const data: unknown[] = []
  let used = 0
  for (const item of items) {
    const size = JSON.stringify(item).length + 1
    if (used + size > room && data.length > 0) break
    data.push(size > room ? cutTo(item, room, rest) : item)
    used += size
  }
  const end = offset + data.length
  const from = `${noun} ${data.length === 0 ? 'none' : `${offset + 1} to ${end}`} of ${total}`
  const isCut = data.length < items.length
  if (way !== undefined)
    return { json: { ...others, data, total, ...(end < total ? { note: `This answer has ${from}. ${way}` } : {}) } }
  const next =
    end < total && data.length > 0
      ? {
          next: { offset: end },
          note: `This answer has ${from}. For the next ones, call again with offset ${end}.${isCut && shorter !== undefined ? ` For more in an answer, ${shorter}.` : ''}`,
        }
      : {}
  return { json: { ...others, data, total, offset, ...next } }
}

/** One object, with its longest values cut if it is longer than an answer. @param rest says how the rest of a cut value is read */
export function objectAnswer(json: Readonly<Record<string, unknown>>, member: string, rest?: (member: string) => string): Answer {
  const { [member]: value, ...others } = json
  const room = MAX_ANSWER_LENGTH - RESERVE - JSON.stringify(others).length
  return { json: JSON.stringify(value ?? null).length <= room ? json : { ...json, [member]: cutTo(value, room, rest) } }
}

/** The text and the JSON of an answer, of at most MAX_ANSWER_LENGTH characters each. Tools cut their answers themselves, so this is for what they did not foresee. */
export function fitted({ json, text = JSON.stringify(json) }: Answer): Required<Answer> {
  const whole = JSON.stringify(json)
  if (Math.max(text.length, whole.length) <= MAX_ANSWER_LENGTH) return { json, text }
  const note = `The call was done; only its answer of ${whole.length} characters is cut. Read what is missing with calls for less`
  const cut = { note, beginning: pieceOfJson(whole, 0, MAX_ANSWER_LENGTH - RESERVE) }
  return { json: cut, text: JSON.stringify(cut) }
}

/** The message of an error, of at most MAX_ANSWER_LENGTH characters. */
export const fittedMessage = (text: string): string =>
  text.length <= MAX_ANSWER_LENGTH
    ? text
    : `${piece(text, 0, MAX_ANSWER_LENGTH - RESERVE)}… (cut: ${text.length} characters; mend the faults named here, and call again)`

/** Lengths to which values are cut, one after the other until the object has room. */
const CUTS = [4000, 1000, 200, 40]

/** An object with its longest members cut, so that its JSON has at most a number of characters. Members that have no room at all are named. */
function cutTo(value: unknown, room: number, rest: ((member: string) => string) | undefined): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return pieceOfJson(JSON.stringify(value ?? null), 0, Math.max(room, 0))
  for (const longest of CUTS) {
    const members = Object.entries(value).map(([name, each]): [string, unknown] => {
      const text = typeof each === 'string' ? each : JSON.stringify(each ?? null)
      if (text.length <= longest + 200) return [name, each]
      const way = rest === undefined ? '' : `; ${rest(name)}`
      return [name, `${piece(text, 0, longest)}… (cut: the first ${longest} of ${text.length} characters${way})`]
    })
    const cut = Object.fromEntries(members)
    if (JSON.stringify(cut).length <= room) return cut
  }
  const names = Object.keys(value)
  return { cut: `${names.length} members have no room here; name fewer fields`, members: piece(names.join(', '), 0, room - 200) }
}

/** A part of a text whose JSON has at most a number of characters. */
export function pieceOfJson(text: string, from: number, room: number): string {
  let length = room
  let part = piece(text, from, length)
  while (part !== '' && JSON.stringify(part).length > room) {
    length = Math.floor(length * 0.7)
    part = piece(text, from, length)
  }
  return part
}

/** A part of a text, which does not begin or end within a surrogate pair. */
export function piece(text: string, from: number, length: number): string {
  const start = isLow(text, from) ? from - 1 : from
  const end = isLow(text, from + length) ? from + length - 1 : from + length
  return text.slice(start, end)
}

const isLow = (text: string, at: number): boolean => /^[\udc00-\udfff]/.test(text.slice(at, at + 1))
