import type { RE2JS } from 're2js'
import type { KeyedRandom } from './random.ts'

/** Instruction codes of a compiled RE2 program (re2js `Inst`). */
const OP = { alt: 1, altMatch: 2, fail: 5, match: 6, rune: 8, rune1: 9, runeAny: 10, runeAnyNotNewline: 11 } as const

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  readonly runes: ArrayLike<number>
}

/** Probabilities of taking the branch that lengthens a text before it is long enough; one of them is chosen for each text. */
const LENGTHENING_PROBABILITIES = [0.85, 0.98, 0.9995] as const
/** Maximum number of steps; patterns written by people need fewer. */
const MAX_STEPS = 20_000

/**
 * Generates texts that match a pattern, by walking through its compiled RE2 program, so that every syntax is supported. Anchors
 * and word boundaries are not evaluated, so the caller must test each text against the pattern.
 */
export class PatternText {
  readonly #program: readonly Instruction[]
  readonly #start: number
  /** For each instruction, the minimum number of characters until the match; Infinity if none is reachable. */
  readonly #distance: readonly number[]

  constructor(pattern: RE2JS) {
    const { inst, start } = pattern.re2().prog as { readonly inst: readonly Instruction[]; readonly start: number }
    this.#program = inst
    this.#start = start
    this.#distance = distances(inst)
  }

  /**
   * A text of `min` to `max` characters, as far as the pattern allows it.
   *
   * @returns undefined if the walk reaches no match
   */
  generate(random: KeyedRandom, min: number, max: number): string | undefined {
    const enough = random.integer(min, max)
    const lengthening = random.pick(LENGTHENING_PROBABILITIES)
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

  /** Chooses a branch by the remaining lengths. */
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

/** Shortest distances to the match, by relaxation until nothing changes: programs are short. */
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

/** Characters in order of preference: typed ones, then visible ones, then the rest of Unicode. */
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
  const sets = PREFERRED.map((preferred) => intersection(ranges, preferred)).filter((set) => set.length > 0)
  const [first, second] = sets
  if (first === undefined) return undefined
  // Mixes lower and upper case where the pattern allows both.
  const set = second !== undefined && sets.length > 2 && random.chance(0.2) ? second : first
  const [low, high] = random.pick(set)
  return String.fromCodePoint(random.integer(low, high))
}

const intersection = (ranges: readonly Range[], others: readonly Range[]): Range[] =>
  ranges.flatMap(([low, high]) =>
    others.flatMap(([first, last]): Range[] => {
      const both: Range = [Math.max(low, first), Math.min(high, last)]
      return both[0] <= both[1] ? [both] : []
    }),
  )
