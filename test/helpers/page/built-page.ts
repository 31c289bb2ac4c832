import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type TemporaryFolder, temporaryFolder } from '../fixture.ts'

export const SCRIPT = 'console.log("page")\n'.repeat(200)
export const STYLE = 'body { color: black }\n'.repeat(200)
export const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"/>'
/** A font is compressed already, so the build writes no compressed files beside it. */
export const FONT = Buffer.from([0x77, 0x4f, 0x46, 0x32, 0, 1, 2, 255])

export const INDEX = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="admin-settings" content="{}">
<script type="module" crossorigin src="./assets/index-a1b2c3d4.js"></script>
<link rel="stylesheet" crossorigin href="./assets/index-e5f6a7b8.css">
</head>
<body><div id="root"></div></body>
</html>
`

/** A folder such as the build of the admin page writes. */
export async function builtPage(index: string = INDEX): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  const assets = join(folder.path, 'assets')
  await mkdir(assets)
  await writeFile(join(folder.path, 'index.html'), index)
  await writeFile(join(folder.path, 'private.js'), 'outside the folder of assets')
  for (const [name, content] of [
    ['index-a1b2c3d4.js', SCRIPT],
    ['index-e5f6a7b8.css', STYLE],
  ] as const) {
    await writeFile(join(assets, name), content)
    await writeFile(join(assets, `${name}.br`), brotliCompressSync(content))
    await writeFile(join(assets, `${name}.gz`), gzipSync(content))
  }
  await writeFile(join(assets, 'logo-c9d0e1f2.svg'), LOGO)
  await writeFile(join(assets, 'inter-03142536.woff2'), FONT)
  return folder
}
