import type { Settings } from '../config/settings.ts'

/** Root paths of the parts of the API. */
export interface ApiRoots {
  /** The part of all clients; views, site and lint are of front ends, and are below the path of the admin page. */
  readonly api: string
  readonly models: string
  readonly auth: string
  /** Bytes of files. */
  readonly files: string
  readonly views: string
  /** The OpenAPI document. */
  readonly document: string
  /** The documentation page. */
  readonly docs: string
  readonly webhooks: string
  readonly jobs: string
  readonly snapshots: string
  readonly reset: string
  readonly history: string
  readonly events: string
  /** Search over all models. */
  readonly search: string
  /** The description of the project for front ends. */
  readonly site: string
  /** Findings in the project's files. */
  readonly lint: string
  /** Endpoints of the project. */
  readonly endpoints: string
  /** Creation of mock records. */
  readonly mock: string
  /** Operations on records of any models, in one transaction. */
  readonly batch: string
  /** Another computation of the fields that hooks compute. */
  readonly recompute: string
  /** The admin page; the only root with a trailing slash, since addresses in the page are relative to it. */
  readonly page: string
}

/** The root paths by the settings, without a trailing slash but for the admin page. */
export function apiRoots({ base_path, admin_path, api_version }: Settings): ApiRoots {
  const api = `${base_path}/api/${api_version}`
  const admin = `${base_path}${admin_path}/api/${api_version}`
  return {
    api,
    models: `${api}/models`,
    files: `${api}/files`,
    auth: `${api}/auth`,
    webhooks: `${api}/webhooks`,
    jobs: `${api}/jobs`,
    snapshots: `${api}/snapshots`,
    reset: `${api}/reset`,
    history: `${api}/history`,
    events: `${api}/events`,
    search: `${api}/search`,
    site: `${admin}/site`,
    lint: `${admin}/lint`,
    endpoints: `${api}/ext`,
    mock: `${api}/mock`,
    batch: `${api}/batch`,
    recompute: `${api}/recompute`,
    views: `${admin}/views`,
    document: `${api}/openapi.json`,
    docs: `${base_path}/docs`,
    page: `${base_path}${admin_path}/`,
  }
}
