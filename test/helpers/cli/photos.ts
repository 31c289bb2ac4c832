import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../store/blob-contract.ts'
import type { CliResult } from './cli.ts'

/** Several chunks of a database, the last of them short. */
export const LARGE_PHOTO = Buffer.from(Uint8Array.from({ length: (5 << 19) + 7 }, (_, index) => index * 31 + (index >> 8)))

/** The contents of the files of `fillPhotos`. */
export const PHOTO_CONTENTS = [
  Buffer.from(''),
  Buffer.from('one\n'),
  Buffer.from('two, longer\n'),
  Buffer.from('pending'),
  LARGE_PHOTO,
]

const PHOTO = 'name: Photo\nfields:\n  - { name: papers, type: file, multiple: true }\n  - { name: cover, type: file }\n'

/** A project of photos that have files. */
export const PHOTO_PROJECT = { 'models/photo.yaml': PHOTO }

/** `PHOTO_CONTENTS` by their hashes, in order. */
export const PHOTO_BYTES = Object.fromEntries(
  PHOTO_CONTENTS.map((bytes): [string, Buffer] => [sha256Of(bytes), bytes]).sort(([a], [b]) => (a < b ? -1 : 1)),
)

/** Makes records that have files, a released file, and an upload. @param run runs the command line in the folder of the project */
export async function fillPhotos(path: string, run: (...argv: readonly string[]) => Promise<CliResult>): Promise<void> {
  for (const [name, bytes] of [
    ['empty.txt', ''],
    ['one.txt', 'one\n'],
    ['two.txt', 'two, longer\n'],
    ['pending.txt', 'pending'],
    ['photos.ndjson', '{"papers":["empty.txt","one.txt","large.bin"],"cover":"two.txt"}\n{"cover":"one.txt"}\n'],
    ['large.bin', LARGE_PHOTO],
  ] as const)
    writeFileSync(join(path, name), bytes)
  for (const argv of [
    ['import', 'photo', 'photos.ndjson'],
    // The record gives up the former file.
    ['upload', 'photo', 'cover', 'one.txt', '--record', '1'],
    ['upload', 'photo', 'cover', 'pending.txt'],
  ]) {
    const { code, stderr } = await run(...argv)
    assert.equal(code, 0, stderr)
  }
}

/** The contents of a folder of bytes by their hashes, in order. */
export function bytesIn(folder: string): Readonly<Record<string, Buffer>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /^..\/.{64}$/.test(name))
  return Object.fromEntries(names.sort().map((name) => [name.slice(3), readFileSync(join(folder, name))]))
}

/** Asserts that a check of the files of `fillPhotos` finds all of them. @param check of `admin files check --json` */
export async function assertPhotosWhole(check: Promise<CliResult>): Promise<void> {
  const { code, stdout, stderr } = await check
  assert.equal(code, 0, stderr)
  const { files, contents, bytes } = JSON.parse(stdout)
  assert.deepEqual([files, contents, bytes], [7, 5, Buffer.concat(PHOTO_CONTENTS).length])
}
