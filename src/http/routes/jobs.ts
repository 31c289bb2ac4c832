import { envelope } from '../../openapi/bodies.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { PAGE } from '../../openapi/query-parameters.ts'
import { COUNT_SCHEMA, MOMENT, nullable, object, oneName, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_RECORDS, pageJson } from '../../query/plan.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { jsonResponse } from '../json.ts'
import { actorOf, parametersOf, requestIdOf } from '../request.ts'

const STATUSES = ['waiting', 'running', 'done', 'failed']
const INPUT: Schema = { type: 'object', description: 'By the fields of the job' }

/** Schemas of jobs; none for a project without jobs. Lower case, so that no schema of a model has the same name. */
export function jobSchemas(jobs: RouteSource['jobs']): Record<string, Schema> {
  if (jobs.size === 0) return {}
  return {
    job: object({
      id: { type: 'integer' },
      name: TEXT,
      status: oneName(STATUSES),
      input: INPUT,
      key: nullable(TEXT),
      attempt: { ...COUNT_SCHEMA, description: 'Number of the present or the last attempt; 0 before the first' },
      error: nullable({ ...TEXT, description: 'Why the last attempt failed' }),
      enqueued_at: MOMENT,
      run_at: nullable({ ...MOMENT, description: 'When a waiting job is due' }),
      started_at: nullable(MOMENT),
      finished_at: nullable(MOMENT),
    }),
    jobRun: strictObject({ input: INPUT, key: TEXT, run_at: MOMENT }, []),
  }
}

/** The jobs of a project, for superusers; no routes for a project without jobs. */
export function jobRoutes({ roots: { jobs: root }, responses, jobs }: RouteSource): ApiRoute[] {
  if (jobs.size === 0) return []
  const names = [...jobs.keys()]
  const common = { tag: 'jobs', access: 'superuser' } as const
  const id: ParameterObject = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 0 } }
  const name: ParameterObject = { name: 'name', in: 'path', required: true, schema: oneName(names) }
  const data = (description: string) => responses.success(description, jsonContent(object({ data: ref('job') })))
  return [
    {
      ...common,
      method: 'GET',
      path: root,
      operationId: 'listJobs',
      summary: 'List jobs, latest first',
      description: 'Those that wait, run, or were over at most as many days ago as the settings say.',
      parameters: [
        ...PAGE,
        { name: 'status', in: 'query', description: 'Only jobs that stand so', schema: oneName(STATUSES) },
        {
          name: 'name',
          in: 'query',
          description: 'Only jobs of this name, which the project has or of which jobs are left',
          schema: TEXT,
        },
        {
          name: 'known',
          in: 'query',
          description: 'True for jobs whose names the project has, false for the others, which are not run',
          schema: { type: 'boolean' },
        },
      ],
      answers: { 200: responses.success('A page', jsonContent(object(envelope(ref('job'))))) },
      handler:
        ({ jobs: service }) =>
        async (request, h) => {
          const parameters = parametersOf(request)
          const page = {
            page: parameters.integer('page', { absent: 1, min: 1 }),
            pageSize: parameters.integer('page_size', { absent: DEFAULT_PAGE_SIZE, min: 1, max: MAX_PAGE_RECORDS }),
          }
          const [status, name] = [parameters.one('status'), parameters.one('name')]
          const refuse = (parameter: string, known: readonly string[], value: string) =>
            parameters.fault(parameter, `'${parameter}' must be one of: ${known.join(', ')}, not '${value}'`)
          if (status !== undefined && !STATUSES.includes(status)) refuse('status', STATUSES, status)
          if (name !== undefined && !(await service.has(name))) refuse('name', names, name)
          const known = parameters.has('known') ? parameters.flag('known') : undefined
          parameters.throwIfFaulty()
          const { data, total } = await service.list(actorOf(request), page, { status, name, known })
          return jsonResponse(h, pageJson(JSON.stringify(data), total, page))
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${root}/{id}/retry`,
      operationId: 'retryJob',
      summary: 'Let a job run again, or a waiting one at once',
      description: 'Its failed attempts no longer count. A job that runs is refused.',
      parameters: [id],
      answers: { 202: data('The job, waiting') },
      failures: ['notFound', 'conflict'],
      handler:
        ({ jobs: service }) =>
        async (request, h) =>
          h.response({ data: await service.retry(actorOf(request), readRecordId(String(request.params.id))) }).code(202),
    },
    {
      ...common,
      method: 'POST',
      path: `${root}/{name}/run`,
      operationId: 'runJob',
      summary: 'Store a job that is due at once',
      description: 'With a `key`, the waiting job of that key if there is one. With `run_at`, it is due then.',
      parameters: [name],
      requestBody: body(jsonContent(ref('jobRun'))),
      answers: { 202: data('The job, waiting') },
      failures: ['notFound', 'conflict'],
      handler:
        ({ jobs: service }, { random }) =>
        async (request, h) => {
          const { name: wanted } = request.params
          const stored = await service.run(actorOf(request), String(wanted), request.payload, requestIdOf(request, random))
          return h.response({ data: stored }).code(202)
        },
    },
  ]
}
