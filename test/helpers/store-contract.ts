import { describe } from 'node:test'
import { checkCascades } from './store-contract/cascades.ts'
import { checkConcurrency } from './store-contract/concurrency.ts'
import { type ContractOptions, checkOn, type OpenStore } from './store-contract/contract.ts'
import { checkDeferral } from './store-contract/deferral.ts'
import { checkEvents, checkKeptEvents } from './store-contract/events.ts'
import { checkFind } from './store-contract/find.ts'
import { checkGet } from './store-contract/get.ts'
import { checkIds } from './store-contract/ids.ts'
import { checkFollow } from './store-contract/listeners.ts'
import { checkMatching } from './store-contract/matching.ts'
import { checkModel } from './store-contract/model.ts'
import { checkReopening } from './store-contract/reopening.ts'
import { checkStatus } from './store-contract/status.ts'
import { checkStream } from './store-contract/stream.ts'
import { checkTransactions } from './store-contract/transactions.ts'
import { checkViolations } from './store-contract/violations.ts'

export type { ContractOptions, OpenedStore, OpenStore } from './store-contract/contract.ts'

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
    describe('violations', () => checkViolations(check))
    describe('deferred judging', () => checkDeferral(check))
    describe('removal and referrers', () => checkCascades(check))
    describe('events that are left behind', () => checkEvents(check))
    describe('concurrency', () => checkConcurrency(check))
    describe('random operations against a model', () => checkModel(check, options.randomSteps ?? 3000))
    describe('follow', () => checkFollow(check))
    describe('status', () => checkStatus(check))
    describe('reopening', () => {
      checkReopening(checkOn(open, options.skip?.reopen))
      checkKeptEvents(checkOn(open, options.skip?.reopen))
    })
  })
}
