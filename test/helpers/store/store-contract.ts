import { describe } from 'node:test'
import { type ContractOptions, checkOn, type OpenStore } from './contract/contract.ts'
import { checkModel } from './contract/model.ts'
import { checkNames } from './contract/names.ts'
import { checkFind } from './contract/reads/find.ts'
import { checkGet } from './contract/reads/get.ts'
import { checkMatching } from './contract/reads/matching.ts'
import { checkStream } from './contract/reads/stream.ts'
import { checkEvents, checkKeptEvents } from './contract/state/events.ts'
import { checkFollow, checkFollowInStep } from './contract/state/listeners.ts'
import { checkReopening } from './contract/state/reopening.ts'
import { checkStatus } from './contract/state/status.ts'
import { checkCascades } from './contract/writes/cascades.ts'
import { checkConcurrency } from './contract/writes/concurrency.ts'
import { checkDeferral } from './contract/writes/deferral.ts'
import { checkIds } from './contract/writes/ids.ts'
import { checkTransactions } from './contract/writes/transactions.ts'
import { checkViolations } from './contract/writes/violations.ts'

export type { ContractOptions, OpenedStore, OpenStore } from './contract/contract.ts'

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
    describe('events that are left behind', () => checkEvents(check))
    describe('concurrency', () => checkConcurrency(check))
    describe('random operations against a model', () => checkModel(check, options.randomSteps ?? 3000))
    describe('follow', () => {
      checkFollow(check)
      checkFollowInStep(checkOn(open, options.skip?.step))
    })
    describe('status', () => checkStatus(check))
    describe('reopening', () => {
      checkReopening(checkOn(open, options.skip?.reopen))
      checkKeptEvents(checkOn(open, options.skip?.reopen))
    })
  })
}
