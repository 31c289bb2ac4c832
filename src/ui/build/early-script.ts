import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vite'

const SOURCE = fileURLToPath(new URL('../early.ts', import.meta.url))

/** The place of the script in `index.html`: behind the settings, which it reads, and before the stylesheet, for which it would wait. */
const TAG = '<script src="./early.ts">'

/** Bundles `ui/early.ts` into a classic script, which runs before the first paint; Vite makes modules only, which run after it. */
export function earlyScriptPlugin(): Plugin {
  let source = ''
  return {
    name: 'early-script',
    configureServer(server) {
      // Absolute, since the development server sends the same document for every path.
      source = '/early.js'
      server.middlewares.use(source, (_, response, next) => {
        bundle().then((code) => response.setHeader('Content-Type', 'text/javascript').end(code), next)
      })
    },
    async buildStart() {
      if (this.environment.mode === 'dev') return
      const code = await bundle()
      const hash = createHash('sha256').update(code).digest('base64url').slice(0, 8)
      const fileName = `assets/early-${hash}.js`
      this.emitFile({ type: 'asset', fileName, source: code })
      source = `./${fileName}`
    },
    transformIndexHtml: {
      order: 'pre',
      handler(html) {
        if (!html.includes(TAG)) throw new Error(`index.html has no ${TAG}`)
        return html.replace(TAG, `<script src="${source}" vite-ignore>`)
      },
    },
  }
}

async function bundle(): Promise<string> {
  const options = { bundle: true, format: 'iife', minify: true, target: 'es2022', write: false } as const
  const { outputFiles } = await build({ entryPoints: [SOURCE], ...options })
  return outputFiles.map(({ text }) => text).join('')
}
