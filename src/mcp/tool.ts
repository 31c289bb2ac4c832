import type { Client } from '../client/client.ts'
import type { LintReport } from '../client/types-site.ts'
import type { Answer } from './answer.ts'
import { type Arguments, readArguments, type ToolParameters } from './parameters.ts'

/** What a call of the API is for: `read` changes nothing. `search` names the model whose texts are searched, or all of them. */
export interface Purpose {
  readonly mode: 'read' | 'write'
  readonly search?: string | true
}

/** Where tools work: on a server, or with a project in this process. */
export interface McpPlace {
  /** Runs work with a client of the API, under the rights of the caller. */
  withClient<T>(purpose: Purpose, work: (client: Client) => Promise<T>): Promise<T>
  /** The findings in the files of the project. */
  lint(): Promise<LintReport>
}

/** What tools work with. */
export interface ToolScope {
  readonly place: McpPlace
  /** The models that they take; undefined for all that the API shows. */
  readonly models: ReadonlySet<string> | undefined
}

/** What a tool does to records, as clients show it before they ask their user. */
export type ToolEffect = 'reads' | 'adds' | 'changes' | 'deletes'

/** A tool as agents see it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: ToolParameters
  readonly effect: ToolEffect
  /** True if the same call again has no further effect. */
  readonly idempotent: boolean
  /** True if it is of no model, so that it is left out where only some models are taken. */
  readonly ofProject?: boolean
  readonly run: (scope: ToolScope, given: unknown) => Promise<Answer>
}

/** A tool with the types of its arguments, which are read before it runs. */
export function defineTool<const P extends ToolParameters>({
  run,
  ...tool
}: Omit<Tool, 'run' | 'parameters'> & {
  readonly parameters: P
  readonly run: (scope: ToolScope, given: Arguments<P>) => Promise<Answer>
}): Tool {
  return { ...tool, run: async (scope, given) => run(scope, readArguments(tool.parameters, given)) }
}
