import type { WriteVia } from '../records/hooks.ts'
import type { Records } from '../records/records.ts'
import type { ServiceParts } from './context.ts'
import type { Tx } from './define.ts'

/**
 * The transactions of code that runs outside of a write: of jobs, endpoints, scripts, and after a commit. What the work throws is thrown as it is.
 *
 * @param begin called before each
 */
export function transactor(records: Pick<Records, 'runTogether'>, begin: () => void): ServiceParts['runTogether'] {
  return async ({ actor, via, requestId, chain }, name, work) => {
    begin()
    let thrown: { readonly error: unknown } | undefined
    const call = async (_: unknown, tx: Tx) => {
      thrown = undefined
      try {
        return await work(tx)
      } catch (error) {
        thrown = { error }
        throw error
      }
    }
    const [file = name] = name.split(' ')
    try {
      return await records.runTogether(
        actor,
        { file, line: 1, name, call },
        { origin: { via: via as WriteVia, requestId, chain } },
      )
    } catch (error) {
      throw thrown === undefined ? error : thrown.error
    }
  }
}
