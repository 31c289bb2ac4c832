import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')

/** The package as npm installs it from its tarball. */
export interface InstalledPackage {
  /** Path of the package in `node_modules`. */
  readonly path: string
  /** Path of the program `admin`. */
  readonly bin: string
  /** Size of the tarball in bytes. */
  readonly packedSize: number
}

/** Packs the package and installs the tarball in a folder, as `npm install` would, with links to the dependencies of this checkout. */
export async function installPacked(folder: string): Promise<InstalledPackage> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
  const [{ filename, size }] = JSON.parse(stdout) as [{ filename: string; size: number }]
  const path = join(folder, 'node_modules/admin-folder')
  await mkdir(path, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '-C', path, '--strip-components=1'])
  const manifest = JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as {
    bin: { admin: string }
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(join(link, '..'), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), link)
  }
  return { path, bin: join(path, manifest.bin.admin), packedSize: size }
}
