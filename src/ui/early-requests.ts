import type { PageSettings } from './page-settings.ts'

/** Responses to requests that the early script has sent, by method and URL. */
type EarlyResponses = Map<string, Promise<Response>>

declare global {
  /** Left by the early script for the modules of the page; undefined if nothing was requested. */
  var earlyResponses: EarlyResponses | undefined
}

/** The key of a request. */
const earlyKey = (method: string, url: string): string => `${method} ${url}`

/**
 * Sends the first requests of the page: continues the session of the cookie, then reads the site, and the views of the model in the
 * address if the user may access it. They are the requests that the modules of the page would send, with the same URLs.
 *
 * @param path path of the address of the page
 */
export function sendEarly({ base_path, admin_path, api_version }: PageSettings, path: string): EarlyResponses {
  const admin = `${base_path}${admin_path}/api/${api_version}`
  const responses: EarlyResponses = new Map()
  const send = (method: string, url: string, request: () => Promise<Response>): Promise<Response> => {
    const key = earlyKey(method, url)
    const response = request()
    responses.set(key, response)
    // A request that could not be sent is left to the page.
    response.catch(() => responses.delete(key))
    return response
  }

  const refreshUrl = `${base_path}/api/${api_version}/auth/refresh`
  const headers = { 'Content-Type': 'application/json' }
  const grant = bodyOf(send('POST', refreshUrl, () => fetch(refreshUrl, { method: 'POST', headers, body: '{}' })))
  const get = async (url: string): Promise<Response> => {
    const { access_token } = (await grant) as { readonly access_token: string }
    return fetch(url, { headers: { Authorization: `Bearer ${access_token}` } })
  }

  const site = send('GET', `${admin}/site`, () => get(`${admin}/site`))
  const model = modelIn(path, `${base_path}${admin_path}`)
  if (model === undefined) return responses
  const viewsUrl = `${admin}/views/${encodeURIComponent(model)}?generated=true`
  send('GET', viewsUrl, async () => {
    const { models } = (await bodyOf(site)) as { readonly models: readonly { readonly key: string }[] }
    if (!models.some(({ key }) => key === model)) throw new Error(`The site has no model '${model}'`)
    return get(viewsUrl)
  })
  return responses
}

/** The JSON of a successful response, which can still be read by others. @throws for any other response */
async function bodyOf(response: Promise<Response>): Promise<unknown> {
  const answer = await response
  if (!answer.ok) throw new Error(`Status ${answer.status}`)
  return answer.clone().json()
}

/** The key of the model that an address of the page names. */
function modelIn(path: string, root: string): string | undefined {
  const [, key] = path.startsWith(`${root}/models/`) ? (/^([^/]+)/.exec(path.slice(`${root}/models/`.length)) ?? []) : []
  try {
    return key === undefined ? undefined : decodeURIComponent(key)
  } catch {
    return undefined
  }
}

/** `fetch` for the client: the first call for a request that was sent early receives its response. */
export function earlyFetch(responses: EarlyResponses = new Map()): typeof fetch {
  return (input, init) => {
    const send = () => globalThis.fetch(input, init)
    const key = earlyKey(init?.method ?? 'GET', String(input))
    const response = responses.get(key)
    responses.delete(key)
    // The page repeats a request that could not be sent.
    return response === undefined ? send() : response.catch(send)
  }
}
