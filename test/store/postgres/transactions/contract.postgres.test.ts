import { describe } from 'node:test'
import { NO_POSTGRES } from '../../../helpers/postgres/server.ts'
import { checkOn } from '../../../helpers/store/contract/contract.ts'
import { checkModel } from '../../../helpers/store/contract/model.ts'
import { checkEvents } from '../../../helpers/store/contract/state/events.ts'
import { checkCascades } from '../../../helpers/store/contract/writes/cascades.ts'
import { checkConcurrency } from '../../../helpers/store/contract/writes/concurrency.ts'
import { checkDeferral } from '../../../helpers/store/contract/writes/deferral.ts'
import { checkIds } from '../../../helpers/store/contract/writes/ids.ts'
import { checkTransactions } from '../../../helpers/store/contract/writes/transactions.ts'
import { checkViolations } from '../../../helpers/store/contract/writes/violations.ts'
import { openWriting } from './writing-store.ts'

const check = checkOn((registry) => openWriting(registry), NO_POSTGRES)

describe('the contract of writes, by transactions on PostgreSQL', () => {
  describe('transact', () => checkTransactions(check))
  describe('ids', () => checkIds(check))
  describe('violations', () => checkViolations(check))
  describe('deferred judging', () => checkDeferral(check))
  describe('removal and referrers', () => checkCascades(check))
  describe('events that are left behind', () => checkEvents(check))
  describe('concurrency', () => checkConcurrency(check))
  describe('random operations against a model', () => checkModel(check, 600))
})
