// Runs every *.test.ts below this folder, or those whose path holds one of the arguments.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** For a file of tests, in milliseconds: one that has failed may leave something behind that keeps it from ending. */
const LONGEST = 600_000

const folder = import.meta.dirname
const wanted = process.argv.slice(2)
const files = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .map((name) => join(folder, name))
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file matches ${wanted.join(', ')}\n`)
  process.exitCode = 1
} else {
  run({ files, concurrency: true, timeout: LONGEST })
    .on('test:fail', () => {
      process.exitCode = 1
    })
    .compose(new spec())
    .pipe(process.stdout)
}
