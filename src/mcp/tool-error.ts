import { AdminError } from '../client/admin-error.ts'
import { AppError, ERRORS } from '../errors.ts'

/** An answer of a tool that names a fault and its remedy, for the agent that called it. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** The text for an agent of an error that is its own, the server's or the project's; undefined for a fault of this program. */
export function toolMessageOf(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message
  if (error instanceof AdminError) {
    // The connection's own error says more.
    if (error.type === 'network') return error.cause instanceof AppError ? toolMessageOf(error.cause) : error.message
    const { summary, message, fieldErrors, requestId } = error
    const lines = Object.entries(fieldErrors).flatMap(([name, messages]) => messages.map((each) => `${name}: ${each}`))
    const text = lines.length > 0 ? lines.join('\n') : message
    const told = summary === undefined || summary === text ? text : `${summary}: ${text}`
    return error.type === 'server' && requestId !== undefined ? `${told} (request ${requestId} in the log of the server)` : told
  }
  if (error instanceof AppError) {
    const { code, details } = error
    if (typeof details === 'string') return details
    const lines = Object.entries(details).flatMap(([name, messages]) => messages.map((each) => `${name}: ${each}`))
    return code === 'TASK_FAILED' ? lines.join('\n') : `${ERRORS[code].message}: ${lines.join('\n')}`
  }
  return undefined
}
