import { type ContractSource, openApiDocument } from '../openapi/document.ts'
import type { OpenApiDocument } from '../openapi/operation.ts'
import { describedRoutes } from './api-route.ts'
import { apiRoots } from './paths.ts'
import { DATA_SCHEMAS, dataRoutes } from './routes/data.ts'
import { SITE_SCHEMAS, siteRoutes } from './routes/site.ts'
import { VIEW_SCHEMAS, viewRoutes } from './routes/views.ts'
import { webhookRoutes, webhookSchemas } from './routes/webhooks.ts'

/** The OpenAPI document of a project. The same project gives the same document, byte for byte. */
export const apiDocument = (project: ContractSource): OpenApiDocument =>
  openApiDocument(project, apiRoots(project.settings), {
    views: describedRoutes(viewRoutes, VIEW_SCHEMAS, project),
    webhooks: describedRoutes(webhookRoutes, webhookSchemas(project.registry), project),
    data: describedRoutes(dataRoutes(), DATA_SCHEMAS, project),
    site: describedRoutes(siteRoutes, SITE_SCHEMAS, project),
  })
