import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Compresses files by the content encodings of the server. */
const compressGzip = promisify(gzip)
const ENCODINGS = [
  { suffix: '.br', compress: promisify(brotliCompress) },
  { suffix: '.gz', compress: (content: Buffer) => compressGzip(content, { level: constants.Z_BEST_COMPRESSION }) },
] as const

/** Bytes of an asset from which its compressed files are worth their room in the package: a smaller one is sent in at most three packets as it is. */
const MIN_BYTES = 4000

/** Writes a `.br` and a `.gz` file beside each asset of the build that is not small already and becomes smaller. */
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
  for (const { suffix, compress } of ENCODINGS) {
    const compressed = await compress(content)
    if (compressed.length < content.length) await writeFile(path + suffix, compressed)
  }
}
