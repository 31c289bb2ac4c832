import { useEffect } from 'react'
import { useSite } from '../data/site.ts'

/** Sets the title of the browser's window. */
export function useTitle(title: string): void {
  const site = useSite().title
  useEffect(() => {
    document.title = `${title} · ${site}`
  }, [title, site])
}
