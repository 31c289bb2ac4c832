// Makes thumbnails by sharp alone, two at once, as often as a message says: { path, target, count }. Answers with the milliseconds it took.
import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'

const AT_ONCE = 2

sharp.cache(false)
sharp.concurrency(1)

process.on('message', async ({ path, target, count }) => {
  let next = 0
  const begin = performance.now()
  const work = async () => {
    while (next < count) {
      const file = `${target}-${next++}`
      const image = sharp(path, { failOn: 'error', autoOrient: true })
        .resize({ width: 640, height: 360, fit: 'cover', withoutEnlargement: true })
        .webp()
      await writeFile(file, await image.toBuffer())
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  process.send(performance.now() - begin)
})
