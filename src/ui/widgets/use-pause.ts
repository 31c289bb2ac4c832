import { useEffect, useState } from 'react'

/** The value as it was before the latest changes, until none has come for some milliseconds. */
export function usePause<T>(value: T, milliseconds = 250): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}
