/** Tells the time, so that nothing else asks the machine for it. Milliseconds since the Unix epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

let latest = Number.NaN
let latestText = ''

/** ISO 8601 in UTC with milliseconds, the one form in which timestamps are stored and sent. Most ask for the present one. */
export function isoTime(milliseconds: number): string {
  if (milliseconds !== latest) {
    latestText = new Date(milliseconds).toISOString()
    latest = milliseconds
  }
  return latestText
}
