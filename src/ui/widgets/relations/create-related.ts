import { type ComponentType, createContext } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import type { AnyRecord } from '../../data/records.ts'

export interface CreateRelatedProps {
  readonly model: SiteModel
  /** Called when the dialog closes, with the record if one was created. */
  readonly onClose: (created: AnyRecord | undefined) => void
}

/** Provides a dialog that creates a record, for pickers within a form. Without it pickers only choose existing records. */
export const CreateRelatedContext = createContext<ComponentType<CreateRelatedProps> | undefined>(undefined)
