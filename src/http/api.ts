import { type ContractSource, modelSources, openApiDocument } from '../openapi/document.ts'
import type { OpenApiDocument } from '../openapi/operation.ts'
import type { Schema } from '../openapi/schema.ts'
import { type DeclareRoutes, describedPaths, routeSource } from './api-route.ts'
import { ACCOUNT_SCHEMAS, accountRoutes } from './routes/account.ts'
import { ACCOUNT_LINK_SCHEMAS, accountLinkRoutes } from './routes/account-links.ts'
import { ACCOUNT_LOG_SCHEMAS, accountLogRoutes } from './routes/account-log.ts'
import { actionRoutes } from './routes/actions.ts'
import { authRoutes } from './routes/auth.ts'
import { batchRoutes } from './routes/batch.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { DATA_SCHEMAS, dataRoutes } from './routes/data.ts'
import { endpointRoutes } from './routes/endpoints.ts'
import { FACTOR_SCHEMAS, factorRoutes } from './routes/factors.ts'
import { fileDownloadRoutes } from './routes/file-downloads.ts'
import { fileRoutes, uploadSchemas } from './routes/files.ts'
import { HISTORY_SCHEMAS, historyRoutes, recordHistoryRoutes } from './routes/history.ts'
import { jobRoutes, jobSchemas } from './routes/jobs.ts'
import { KEY_SCHEMAS, keyRoutes } from './routes/keys.ts'
import { listRoutes } from './routes/lists.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { fillRoutes, mockRoutes } from './routes/mock.ts'
import { IDENTITY_SCHEMAS, oidcRoutes } from './routes/oidc.ts'
import { operationsRoutes } from './routes/operations.ts'
import { recomputeRoutes } from './routes/recompute.ts'
import { RECORD_SCHEMAS, recordRoutes } from './routes/records.ts'
import { siteRoutes, siteSchemas } from './routes/site.ts'
import { TRANSFER_SCHEMAS, transferRoutes } from './routes/transfer.ts'
import { VIEW_SCHEMAS, viewRoutes } from './routes/views.ts'
import { webhookRoutes, webhookSchemas } from './routes/webhooks.ts'

/** The routes of every model. */
export const modelRoutes: DeclareRoutes = (source) =>
  [listRoutes, mockRoutes, transferRoutes, bulkRoutes, recordHistoryRoutes, recordRoutes].flatMap((declare) => declare(source))

/** The declared routes, in the order of the document. */
export const ROUTES: readonly DeclareRoutes[] = [
  ...[
    authRoutes,
    accountRoutes,
    accountLogRoutes,
    factorRoutes,
    keyRoutes,
    oidcRoutes,
    accountLinkRoutes,
    modelRoutes,
    actionRoutes,
    batchRoutes,
    fileRoutes,
    fileDownloadRoutes,
    viewRoutes,
    webhookRoutes,
    jobRoutes,
  ],
  ...[dataRoutes, historyRoutes, siteRoutes, fillRoutes, recomputeRoutes, operationsRoutes, mcpRoutes, endpointRoutes],
]

/** The OpenAPI document of a project. The same project gives the same document, byte for byte. */
export function apiDocument(project: ContractSource): OpenApiDocument {
  const source = routeSource(project)
  const models = modelSources(project, source.responses)
  const schemas: Readonly<Record<string, Schema>> = {
    ...RECORD_SCHEMAS,
    ...TRANSFER_SCHEMAS,
    ...VIEW_SCHEMAS,
    ...webhookSchemas(project.registry),
    ...jobSchemas(project.jobs),
    ...DATA_SCHEMAS,
    ...HISTORY_SCHEMAS,
    ...siteSchemas(project),
    ...ACCOUNT_SCHEMAS,
    ...ACCOUNT_LOG_SCHEMAS,
    ...FACTOR_SCHEMAS,
    ...KEY_SCHEMAS,
    ...IDENTITY_SCHEMAS,
    ...ACCOUNT_LINK_SCHEMAS,
    ...uploadSchemas(project.registry),
  }
  const paths = describedPaths(ROUTES, source, models)
  return openApiDocument(project, { models, paths, schemas, tokenUrl: `${source.roots.auth}/token` })
}
