import { integer, mulberry32, pick } from './random.ts'

/** The values of a member without the id and the timestamps, which the server assigns. */
export interface MemberValues {
  readonly username: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly age: number
  readonly score: number
  readonly is_active: boolean
  readonly bio: string
}

export interface Member extends MemberValues {
  readonly id: number
  readonly created_at: string
  readonly updated_at: string
}

/** The model file of the project. */
export const MEMBER_MODEL = `name: Member
label: Members
display_field: username
timestamps: true
fields:
  - { name: username, type: string, required: true, unique: true, min_length: 3, max_length: 150 }
  - { name: email, type: email, required: true, unique: true }
  - { name: first_name, type: string, max_length: 150 }
  - { name: last_name, type: string, max_length: 150 }
  - { name: age, type: integer, gte: 0, lte: 150 }
  - { name: score, type: number }
  - { name: is_active, type: boolean, default: true }
  - { name: bio, type: text }
`

const words = (text: string): readonly string[] => text.split(/\s+/)

export const FIRST_NAMES =
  words(`Ann Ben Carla David Emma Felix Greta Hugo Ines Jonas Karin Leon Marta Nils Olga Paul Quinn Rosa Simon
Tara Ulla Victor Wanda Xaver Yvonne Zeno Alma Bruno Celia Dario Elena Frida Georg Helene Igor Julia Klaus Lotte Mario Nadia Oscar
Petra Ralf Sonja Theo Ursula Vera Willi Xenia Yusuf`)

const LAST_NAMES =
  words(`Lee Smith Garcia Meyer Novak Rossi Dubois Jansen Kowalski Silva Andersen Berg Costa Dietrich Evans Fischer
Gomez Hansen Ivanov Johnson Keller Lopez Moreau Nagy Olsen Popov Quist Romero Schulz Tanaka Urban Vogel Weber Xu Young Zimmer Adler
Brandt Conti Dvorak Ebert Fabre Grimm Horvat Iversen Jung Kim Lang Marino Nowak`)

const DOMAINS = words('example.com example.org example.net mail.example.com post.example.org corp.example.net')

const BIO_CHARACTERS = 150
/** The text from which each bio is cut. */
const TEXT = bioText(20_000)

const FIRST_DAY = Date.UTC(2023, 0, 1)
const TWO_YEARS_MS = 2 * 365 * 86_400_000
const MONTH_MS = 30 * 86_400_000

/** The values of the member with a number, from 1. They are always the same; username and email are unique. */
export function memberValues(number: number): MemberValues {
  return valuesOf(number, dice(number))
}

/** The stored record of a member, with its number as id. */
export function member(number: number): Member {
  const random = dice(number)
  const values = valuesOf(number, random)
  const created = FIRST_DAY + Math.floor(random() * TWO_YEARS_MS)
  const updated = created + Math.floor(random() * MONTH_MS)
  return { id: number, ...values, created_at: new Date(created).toISOString(), updated_at: new Date(updated).toISOString() }
}

const dice = (number: number) => mulberry32(Math.imul(number, 0x9e3779b1))

function valuesOf(number: number, random: () => number): MemberValues {
  const first = pick(random, FIRST_NAMES)
  const last = pick(random, LAST_NAMES)
  const handle = `${first}.${last}${number}`.toLowerCase()
  const start = integer(random, 0, TEXT.length - BIO_CHARACTERS)
  return {
    username: handle,
    email: `${handle}@${pick(random, DOMAINS)}`,
    first_name: first,
    last_name: last,
    age: integer(random, 18, 90),
    score: integer(random, 0, 10_000) / 100,
    is_active: random() < 0.7,
    bio: TEXT.slice(start, start + BIO_CHARACTERS),
  }
}

function bioText(length: number): string {
  const random = mulberry32(7)
  const syllables = words('ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy en ar is om ur al')
  let text = ''
  while (text.length < length) {
    for (let count = integer(random, 1, 4); count > 0; count--) text += pick(random, syllables)
    text += random() < 0.12 ? '. ' : ' '
  }
  return text.slice(0, length)
}
