import type { Settings } from '../config/settings.ts'

/** Root paths of the parts of the API. */
export interface ApiRoots {
  /** All parts except views. */
  readonly api: string
  readonly models: string
  readonly auth: string
  readonly views: string
  /** The OpenAPI document. */
  readonly document: string
  /** The documentation page. */
  readonly docs: string
  readonly webhooks: string
  readonly snapshots: string
  readonly reset: string
  readonly history: string
  /** Creation of mock records. */
  readonly mock: string
}

/** The root paths by the settings, without a trailing slash. */
export function apiRoots({ base_path, admin_path, api_version }: Settings): ApiRoots {
  const api = `${base_path}/api/${api_version}`
  const views = `${base_path}${admin_path}/api/${api_version}/views`
  return {
    api,
    models: `${api}/models`,
    auth: `${api}/auth`,
    webhooks: `${api}/webhooks`,
    snapshots: `${api}/snapshots`,
    reset: `${api}/reset`,
    history: `${api}/history`,
    mock: `${api}/mock`,
    views,
    document: `${api}/openapi.json`,
    docs: `${base_path}/docs`,
  }
}
