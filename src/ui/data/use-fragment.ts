import { useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'

/**
 * The members of the fragment of a link, such as `#token=…`. They are removed from the address at once: neither the history of the browser
 * nor a copied address has them.
 */
export function useFragment(): URLSearchParams {
  const { hash } = useLocation()
  const [kept, setKept] = useState(hash)
  // Another link may be opened in the same tab.
  if (hash !== '' && hash !== kept) setKept(hash)
  useEffect(() => {
    if (hash !== '') history.replaceState(history.state, '', location.pathname)
  }, [hash])
  return useMemo(() => new URLSearchParams(kept), [kept])
}
