import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ownFile } from '../util/files.ts'
import type { ApiRoots } from './paths.ts'

/** Swagger UI, which the build copies beside the compiled code. */
const BUILT = ownFile('dist/swagger-ui')

/** Files that the page loads, all from this server. */
export const PAGE_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'page.js'] as const

/** Swagger UI sets inline styles; everything else must come from this server. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Swagger UI has light colours only; in the dark its page is inverted, with the hues turned back. */
const DARK = `:root { color-scheme: light dark; background: Canvas; color: CanvasText }
@media (prefers-color-scheme: dark) { #page { color-scheme: light; filter: invert(0.9) hue-rotate(180deg) } }`

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)

/**
 * The page. It contains nothing of the project but its title.
 *
 * @param title as written in the settings
 */
export const docsPage = ({ docs, document }: ApiRoots, title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} API</title>
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${docs}/swagger-ui.css">
<link rel="icon" href="data:,">
<style>${DARK} body { margin: 0; font-family: sans-serif } #login, #problem { margin: 2rem auto; max-width: 40rem; padding: 0 1rem }</style>
</head>
<body>
<form id="login" hidden>
<p>This API is described to its users alone. Paste an access token; <code>admin token</code> prints one.</p>
<label>Access token <input id="token" type="password" autocomplete="off" required></label>
<button>Show</button>
</form>
<p id="problem" role="alert" hidden></p>
<noscript><p>This page needs JavaScript. The document itself: <a href="${document}">${document}</a></p></noscript>
<div id="page"></div>
<script src="${docs}/swagger-ui-bundle.js"></script>
<script src="${docs}/page.js" data-document="${document}"></script>
</body>
</html>
`

/** The token is kept in the page's memory only. */
const PAGE_SCRIPT = `'use strict'
const { document: address } = document.currentScript.dataset
const [login, token, problem] = ['login', 'token', 'problem'].map((id) => document.getElementById(id))

async function show(bearer) {
  const headers = bearer === undefined ? {} : { Authorization: 'Bearer ' + bearer }
  const response = await fetch(address, { headers })
  login.hidden = response.status !== 401
  problem.hidden = response.ok || (response.status === 401 && bearer === undefined)
  problem.textContent = response.status === 401 ? 'This token is not valid.' : 'The document cannot be read: ' + response.status
  if (!response.ok) return
  const spec = await response.json()
  const ui = SwaggerUIBundle({
    spec,
    dom_id: '#page',
    deepLinking: true,
    filter: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    onComplete: () => bearer !== undefined && ui.preauthorizeApiKey('bearer', bearer),
  })
}

login.addEventListener('submit', (event) => {
  event.preventDefault()
  show(token.value.trim())
})
show()
`

/** A file of the page as it is sent. */
export interface DocsFile {
  readonly content: Buffer
  readonly gzipped: Buffer
  readonly type: string
  /** Its entity tag, without quotes. */
  readonly tag: string
}

/** The files of the page. Each is read and compressed on its first request and kept in memory: the largest has 1.5 MB. */
export class DocsFiles {
  readonly #files = new Map<string, Promise<DocsFile>>()

  /** @throws {Error} if the file is missing because the package was not built; the next call tries again */
  of(name: (typeof PAGE_FILES)[number]): Promise<DocsFile> {
    const known = this.#files.get(name)
    if (known !== undefined) return known
    const reading = readPageFile(name)
    this.#files.set(name, reading)
    reading.catch(() => this.#files.delete(name))
    return reading
  }
}

async function readPageFile(name: (typeof PAGE_FILES)[number]): Promise<DocsFile> {
  const content = name === 'page.js' ? Buffer.from(PAGE_SCRIPT) : await readFile(join(BUILT, name))
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
  return { content, gzipped: await promisify(gzip)(content), type, tag }
}
