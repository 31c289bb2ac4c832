import type { ContractOptions } from '../../helpers/store/store-contract.ts'

/** What the store in PostgreSQL cannot be held to. */
export const CONTRACT: ContractOptions = {
  skip: { step: 'a reader sees a change as soon as the server has committed it, before the process hears of it' },
}
