import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

/** Bytes of an asset from which its compressed files are worth their room in the package: a smaller one is sent in at most three packets as it is. */
const MIN_BYTES = 4000

/** Bytes that Brotli has to save beside gzip: about a packet. */
const MIN_SAVED = 1400

/** Writes a `.gz` file beside each asset of the build that is not small already and becomes smaller, and a `.br` file where that saves more. */
export function compressPlugin(): Plugin {
  let folder = ''
  return {
    name: 'compress',
    apply: 'build',
    configResolved: ({ build }) => {
      folder = join(build.outDir, build.assetsDir)
    },
    async closeBundle() {
      const names = await readdir(folder)
      await Promise.all(names.map((name) => compressFile(join(folder, name))))
    },
  }
}

async function compressFile(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  const gzipped = await compressGzip(content, { level: constants.Z_BEST_COMPRESSION })
  if (gzipped.length >= content.length) return
  await writeFile(`${path}.gz`, gzipped)
  const brotli = await compressBrotli(content)
  if (brotli.length + MIN_SAVED <= gzipped.length) await writeFile(`${path}.br`, brotli)
}
