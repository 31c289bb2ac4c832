import { createHash } from 'node:crypto'
import type { FileField } from '../model/field.ts'
import type { FileRules, StoredFile } from '../model/files.ts'
import { isoTime } from '../util/clock.ts'
import { encodePdf } from './pdf.ts'
import { type Colour, encodePng } from './png.ts'
import { KeyedRandom, REFERENCE_TIME } from './random.ts'

/** Maximum number of different files of a field. */
const MAX_VARIANTS = 24
/** Pixels from which a field has few different images, since each takes long to make. */
const MANY_PIXELS = 4_000_000
const FEW_VARIANTS = 2

/** A file of mock data. */
export interface MockFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
  readonly sha256: string
  readonly width: number | null
  readonly height: number | null
}

type Maker = (field: FileField, variant: number, random: KeyedRandom) => Omit<MockFile, 'sha256' | 'name'> & { extension: string }

const MAKERS: Readonly<Record<string, Maker>> = {
  'image/png': (field, variant, random) => {
    const { width, height, bytes } = picture(field.file, variant, random)
    return { type: 'image/png', extension: 'png', bytes, width, height }
  },
  'application/pdf': (field, variant, random) => {
    const bytes = encodePdf(`${field.name} ${variant + 1}`, linesOf(random))
    return { type: 'application/pdf', extension: 'pdf', bytes, width: null, height: null }
  },
  'text/plain': (field, variant, random) => {
    const bytes = Buffer.from(`${[`${field.name} ${variant + 1}`, '', ...linesOf(random)].join('\n')}\n`)
    return { type: 'text/plain', extension: 'txt', bytes, width: null, height: null }
  },
}

/** The types of files that mock data has, with a field that accepts all of them. */
export const MOCK_FILE_TYPES = Object.keys(MAKERS)

/** The files of mock records. The same seed gives the same bytes. */
export class MockFiles {
  readonly #seed: number
  readonly #made = new Map<string, MockFile>()
  readonly #byHash = new Map<string, MockFile>()

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Number of different files of a field; 0 if mock data has no type that the field accepts. */
  count({ file }: FileField): number {
    if (typesFor(file).length === 0) return 0
    const { width, height } = leastSize(file)
    return file.isImage && width * height > MANY_PIXELS ? FEW_VARIANTS : MAX_VARIANTS
  }

  /** A file of a field; the variant is less than `count`. */
  of(model: string, field: FileField, variant: number): MockFile {
    const key = JSON.stringify([model, field.name, variant])
    const known = this.#made.get(key)
    if (known !== undefined) return known
    const types = typesFor(field.file)
    const maker = MAKERS[types[variant % types.length] ?? '']
    if (maker === undefined) throw new Error(`There are no mock files for '${field.name}'`)
    const random = new KeyedRandom()
    random.start(JSON.stringify([this.#seed, model, 'file', field.name, variant]))
    const { extension, ...made } = maker(field, variant, random)
    const sha256 = createHash('sha256').update(made.bytes).digest('hex')
    const file = { ...made, sha256, name: `${field.name}-${variant + 1}.${extension}` }
    this.#made.set(key, file)
    this.#byHash.set(sha256, file)
    return file
  }

  /** A file that was made before, by the hash of its bytes. */
  withHash(sha256: string): MockFile | undefined {
    return this.#byHash.get(sha256)
  }
}

/** A mock file as a record would store it. Its id names no upload. */
export const storedMockFile = ({ name, type, bytes, sha256, width, height }: MockFile): StoredFile => ({
  id: `mock_${sha256.slice(0, 12)}-1`,
  ...{ name, type, size: bytes.length, sha256, width, height, alt: null, uploaded_at: isoTime(REFERENCE_TIME) },
})

const typesFor = ({ isImage, accept }: FileRules): readonly string[] =>
  MOCK_FILE_TYPES.filter((type) => !isImage || type.startsWith('image/')).filter(
    (type) => accept === undefined || accept.includes(type) || accept.includes(type.replace(/\/.*/, '/*')),
  )

/** Sizes of images in turn. */
const SIZES = [
  { width: 640, height: 400 },
  { width: 480, height: 480 },
  { width: 400, height: 600 },
] as const

const leastSize = ({ minWidth = 1, minHeight = 1 }: FileRules) => ({ width: minWidth, height: minHeight })

/** A picture that is as large as its field wants, and as small as the field takes at most. */
function picture(rules: FileRules, variant: number, random: KeyedRandom) {
  const least = leastSize(rules)
  const paint = painter(random)
  const usual = SIZES[variant % SIZES.length] ?? SIZES[0]
  for (let scale = 1; ; scale /= 2) {
    const width = Math.max(least.width, Math.ceil(usual.width * scale))
    const height = Math.max(least.height, Math.ceil(usual.height * scale))
    const isLeast = width === least.width && height === least.height
    if (width * height > rules.maxPixels && !isLeast) continue
    const bytes = paint(width, height)
    if (bytes.length <= (rules.maxSize ?? Number.POSITIVE_INFINITY) || isLeast) return { width, height, bytes }
  }
}

/** Cells of a pattern along its longer side. */
const CELLS = 16

/** Draws stripes, checks or rings in four colours. */
function painter(random: KeyedRandom): (width: number, height: number) => Buffer {
  const palette = [0, 1, 2, 3].map((): Colour => [random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)])
  const kind = random.integer(0, 2)
  const [right, down] = [random.integer(1, 3), random.integer(1, 3)]
  return (width, height) => {
    const cell = Math.max(1, Math.ceil(Math.max(width, height) / CELLS))
    const colourAt = [
      (x: number, y: number) => ((x * right + y * down) / cell) & 3,
      (x: number, y: number) => (Math.floor(x / cell) * right + Math.floor(y / cell) * down) & 3,
      (x: number, y: number) => (Math.max(Math.abs(x - width / 2), Math.abs(y - height / 2)) / cell) & 3,
    ][kind]
    return encodePng({ width, height, palette, colourAt: colourAt ?? (() => 0) })
  }
}

const WORDS = ['amber', 'barley', 'cedar', 'delta', 'ember', 'fjord', 'garnet', 'harbour', 'indigo', 'juniper', 'kelp', 'lantern']

const linesOf = (random: KeyedRandom): string[] =>
  Array.from({ length: random.integer(3, 8) }, () =>
    Array.from({ length: random.integer(5, 10) }, () => random.pick(WORDS)).join(' '),
  )
