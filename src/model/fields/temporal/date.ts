import { isCalendarDay, temporal } from './temporal.ts'

/** A calendar day, `2024-02-29` (ISO 8601). */
export const date = temporal('date', (text) => {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  return parts !== null && isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3])) ? text : undefined
})
