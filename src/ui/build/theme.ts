import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const SOURCE = new URL('../theme.js', import.meta.url)

/** Adds `theme.js` to the page as a script that runs before the first paint; Vite makes modules only, which run after it. */
export function themePlugin(): Plugin {
  let fileName = 'theme.js'
  return {
    name: 'theme',
    configureServer(server) {
      server.middlewares.use('/theme.js', (_, response) => {
        response.setHeader('Content-Type', 'text/javascript').end(readFileSync(SOURCE))
      })
    },
    buildStart() {
      if (this.environment.mode === 'dev') return
      const source = readFileSync(SOURCE)
      const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
      fileName = `assets/theme-${hash}.js`
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `./${fileName}` }, injectTo: 'head-prepend' }],
  }
}
