// Members served by Strapi, without its admin panel. The database and the port are in the environment.
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// Its ECMAScript modules import folders, which Node.js does not resolve.
const { createStrapi } = createRequire(import.meta.url)('@strapi/strapi')

const folder = import.meta.dirname
mkdirSync(join(folder, 'public/uploads'), { recursive: true })
const strapi = await createStrapi({ appDir: folder, distDir: folder }).start()
const { accessKey } = await strapi.service('admin::api-token').create({ name: 'bench', type: 'full-access', lifespan: null })
process.send({ address: `http://127.0.0.1:${process.env.PEER_PORT}`, tokens: [accessKey] })
process.once('disconnect', async () => {
  await strapi.destroy()
  process.exit(0)
})
