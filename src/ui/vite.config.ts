import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chunksPlugin } from './build/chunks.ts'
import { compressPlugin } from './build/compress.ts'
import { earlyScriptPlugin } from './build/early-script.ts'
import { iconsPlugin } from './build/icons.ts'

/** Server of the API during development. */
const API = process.env.ADMIN_URL ?? 'http://127.0.0.1:8000'

export default defineConfig({
  root: import.meta.dirname,
  // The server replaces `./` in the page by its own path; chunks find each other relative to themselves.
  base: './',
  plugins: [react(), iconsPlugin(), earlyScriptPlugin(), chunksPlugin(), compressPlugin()],
  build: {
    outDir: join(import.meta.dirname, '../../dist/ui'),
    emptyOutDir: true,
    target: 'es2022',
    // Styles of parts that are loaded on demand are loaded with them.
    cssCodeSplit: true,
    // Fonts and images as data would need an exception of the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: true,
    // Names the chunks of each module, for the test of sizes.
    manifest: true,
  },
  server: { proxy: { '/api': API, '/admin/api': API, '/docs': API, '/metrics': API } },
})
