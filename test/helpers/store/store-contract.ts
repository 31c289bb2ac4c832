import { describe } from 'node:test'
import { checkCascades } from './cascades.ts'
import { checkConcurrency } from './concurrency.ts'
import { type ContractOptions, checkOn, type OpenStore } from './contract.ts'
import { checkDeferral } from './deferral.ts'
import { checkDependentWrites } from './dependent-writes.ts'
import { checkEvents, checkKeptEvents } from './events.ts'
import { checkFiles } from './files.ts'
import { checkFind } from './find.ts'
import { checkGet } from './get.ts'
import { checkIds } from './ids.ts'
import { checkFollow, checkFollowInStep } from './listeners.ts'
import { checkMatching } from './matching.ts'
import { checkModel } from './model.ts'
import { checkNames } from './names.ts'
import { checkReopening } from './reopening.ts'
import { checkStatus } from './status.ts'
import { checkStream } from './stream.ts'
import { checkTransactions } from './transactions.ts'
import { checkViolations } from './violations.ts'

export type { ContractOptions, OpenedStore, OpenStore } from './contract.ts'

/**
 * What every engine behind the interface `Store` must do, whether it is here or on another machine.
 *
 * @param open opens an empty store for one test
 */
export function storeContract(name: string, open: OpenStore, options: ContractOptions = {}): void {
  const check = checkOn(open)
  describe(`store contract: ${name}`, () => {
    describe('get', () => checkGet(check))
    describe('find', () => checkFind(check))
    describe('matching', () => checkMatching(check))
    describe('stream', () => checkStream(check))
    describe('transact', () => checkTransactions(check))
    describe('ids', () => checkIds(check))
    describe('names', () => checkNames(open))
    describe('violations', () => checkViolations(check))
    describe('deferred judging', () => checkDeferral(check))
    describe('removal and referrers', () => checkCascades(check))
    describe('writes that depend on what was read, and on each other', () => checkDependentWrites(check))
    describe('events that are left behind', () => checkEvents(check))
    describe('concurrency', () => checkConcurrency(check))
    describe('random operations against a model', () => checkModel(check, options.randomSteps ?? 3000))
    describe('follow', () => {
      checkFollow(check)
      checkFollowInStep(checkOn(open, options.skip?.step))
    })
    describe('files', () => checkFiles(open))
    describe('status', () => checkStatus(check))
    describe('reopening', () => {
      checkReopening(checkOn(open, options.skip?.reopen))
      checkKeptEvents(checkOn(open, options.skip?.reopen))
    })
  })
}
