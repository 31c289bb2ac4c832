import type { Settings } from '../config/settings.ts'

/** Where each part of the API begins. */
export interface ApiRoots {
  /** Of all but the views. */
  readonly api: string
  readonly models: string
  readonly auth: string
  readonly views: string
  /** The description of the API in OpenAPI. */
  readonly document: string
  /** The page on which people read it. */
  readonly docs: string
  readonly webhooks: string
  readonly snapshots: string
  readonly reset: string
  /** What fills the store with mock records. */
  readonly mock: string
}

/** The roots that the settings make, without a slash at the end. */
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
    mock: `${api}/mock`,
    views,
    document: `${api}/openapi.json`,
    docs: `${base_path}/docs`,
  }
}
