import { useState } from 'react'
import type { Page } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'

/**
 * The page to show. While a cell is edited, a page without its record does not replace the one with it, since the editor would be lost.
 */
export function useHeldPage(page: Page<AnyRecord> | undefined, editedId: number | undefined): Page<AnyRecord> | undefined {
  const [held, setHeld] = useState(page)
  const isHeld = editedId !== undefined && held !== undefined && page?.data.every(({ id }) => id !== editedId) === true
  if (!isHeld && held !== page) setHeld(page)
  return isHeld ? held : page
}
