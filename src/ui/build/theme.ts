import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const SOURCE = new URL('../theme.js', import.meta.url)

/** Adds `theme.js` to the page as a script that runs before the first paint; Vite makes modules only, which run after it. */
export function themePlugin(): Plugin {
  let source = './theme.js'
  return {
    name: 'theme',
    configureServer(server) {
      // Absolute, since the development server sends the same document for every path.
      source = '/theme.js'
      server.middlewares.use('/theme.js', (_, response) => {
        response.setHeader('Content-Type', 'text/javascript').end(readFileSync(SOURCE))
      })
    },
    buildStart() {
      if (this.environment.mode === 'dev') return
      const code = readFileSync(SOURCE)
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8)
      const fileName = `assets/theme-${hash}.js`
      this.emitFile({ type: 'asset', fileName, source: code })
      source = `./${fileName}`
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: source }, injectTo: 'head-prepend' }],
  }
}
