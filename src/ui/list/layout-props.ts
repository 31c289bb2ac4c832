import type { SiteModel } from '../../client/client.ts'
import type { ListPlan } from '../data/records.ts'
import type { FormView, ListView } from '../data/views.ts'
import type { ListColumn, Total } from './columns.ts'
import type { ChangeList, ListState } from './list-state.ts'

/** What a layout shows. */
export interface LayoutProps {
  readonly model: SiteModel
  readonly view: ListView
  readonly forms: readonly FormView[]
  /** The columns of the list, whose fields cards show. */
  readonly columns: readonly ListColumn[]
  /** The records of the list. */
  readonly plan: ListPlan
  readonly totals: readonly Total[]
  readonly state: ListState
  readonly change: ChangeList
}
