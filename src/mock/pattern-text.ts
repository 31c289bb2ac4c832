import type { RE2JS } from 're2js'
import type { KeyedRandom } from './keyed-random.ts'

/** What an instruction of a compiled RE2 program is (re2js `Inst`). */
const OP = { alt: 1, altMatch: 2, fail: 5, match: 6, rune: 8, rune1: 9, runeAny: 10, runeAnyNotNewline: 11 } as const

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: ArrayLike<number>
}

/** How often the branch is taken that makes a text longer, until it is long enough: one of these for each text. */
const LENGTHENING = [0.85, 0.98, 0.9995] as const
/** No pattern that a person wrote takes more steps. */
const MAX_STEPS = 20_000

/**
 * Makes texts that a pattern matches, by walking through the very program that the pattern is matched with, so that every syntax
 * that it knows is understood. Anchors and word boundaries are passed by unseen: a text is to be held against the pattern before it
 * is used.
 */
export class PatternText {
  readonly #program: readonly Instruction[]
  readonly #start: number
  /** For each instruction, how many characters follow at least until the match; infinite where none is reached. */
  readonly #distance: readonly number[]

  constructor(pattern: RE2JS) {
    const { inst, start } = pattern.re2().prog as { readonly inst: readonly Instruction[]; readonly start: number }
    this.#program = inst
    this.#start = start
    this.#distance = distances(inst)
  }

  /**
   * A text of `min` to `max` characters as far as the pattern lets it.
   *
   * @returns undefined when the walk led nowhere
   */
  make(random: KeyedRandom, min: number, max: number): string | undefined {
    const enough = random.integer(min, max)
    const lengthening = random.pick(LENGTHENING)
    let text = ''
    let length = 0
    let at = this.#start
    for (let step = 0; step < MAX_STEPS; step++) {
      const instruction = this.#program[at]
      if (instruction === undefined || instruction.op === OP.fail) return undefined
      if (instruction.op === OP.match) return text
      if (instruction.op === OP.alt || instruction.op === OP.altMatch) {
        at = this.#branch(instruction, random, { lengthening, enough: enough - length, max: max - length })
        continue
      }
      if (consumes(instruction)) {
        const character = draw(rangesOf(instruction), random)
        if (character === undefined) return undefined
        text += character
        length++
      }
      at = instruction.out
    }
    return undefined
  }

  /** What is left of the lengths decides how much longer the text becomes. */
  #branch({ out, arg }: Instruction, random: KeyedRandom, left: { lengthening: number; enough: number; max: number }): number {
    const [one, other] = [this.#distance[out] ?? Infinity, this.#distance[arg] ?? Infinity]
    const shorter = one <= other ? out : arg
    const longer = shorter === out ? arg : out
    const [least, most] = [Math.min(one, other), Math.max(one, other)]
    if (most > left.max || most === Infinity) return shorter
    if (one === other) return random.pick([out, arg])
    return least < left.enough && random.chance(left.lengthening) ? longer : shorter
  }
}

const consumes = ({ op }: Instruction): boolean => op >= OP.rune && op <= OP.runeAnyNotNewline

/** Shortest ways to the match, by relaxing until nothing changes: programs are short. */
function distances(program: readonly Instruction[]): number[] {
  const distance: number[] = program.map(({ op }) => (op === OP.match ? 0 : Infinity))
  for (let changed = true; changed; ) {
    changed = false
    for (const [at, instruction] of program.entries()) {
      const { op, out, arg } = instruction
      if (op === OP.match || op === OP.fail) continue
      const onward = (distance[out] ?? Infinity) + (consumes(instruction) ? 1 : 0)
      const shortest = op === OP.alt || op === OP.altMatch ? Math.min(onward, distance[arg] ?? Infinity) : onward
      if (shortest >= (distance[at] ?? Infinity)) continue
      distance[at] = shortest
      changed = true
    }
  }
  return distance
}

type Range = readonly [low: number, high: number]

function rangesOf({ op, runes }: Instruction): Range[] {
  if (op === OP.runeAny || op === OP.runeAnyNotNewline) return [[0, 0x10ffff]]
  if (runes.length === 1) return [[runes[0] ?? 0, runes[0] ?? 0]]
  return Array.from({ length: runes.length / 2 }, (_, index) => [runes[index * 2] ?? 0, runes[index * 2 + 1] ?? 0])
}

/** Characters to be drawn first where a pattern lets them: what people type; then whatever can be seen; then the rest of Unicode. */
const PREFERRED: readonly (readonly Range[])[] = [
  [
    [0x30, 0x39],
    [0x61, 0x7a],
  ],
  [[0x41, 0x5a]],
  [[0x20, 0x7e]],
  [
    [0x09, 0x0a],
    [0xa0, 0xd7ff],
    [0xe000, 0x10ffff],
  ],
]

function draw(ranges: readonly Range[], random: KeyedRandom): string | undefined {
  const sets = PREFERRED.map((preferred) => common(ranges, preferred)).filter((set) => set.length > 0)
  const [first, second] = sets
  if (first === undefined) return undefined
  // Where lower and upper case are free, both are to be seen.
  const set = second !== undefined && sets.length > 2 && random.chance(0.2) ? second : first
  const [low, high] = random.pick(set)
  return String.fromCodePoint(random.integer(low, high))
}

const common = (ranges: readonly Range[], others: readonly Range[]): Range[] =>
  ranges.flatMap(([low, high]) =>
    others.flatMap(([first, last]): Range[] => {
      const both: Range = [Math.max(low, first), Math.min(high, last)]
      return both[0] <= both[1] ? [both] : []
    }),
  )
