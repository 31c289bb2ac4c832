/** Tells the time, so that nothing else asks the machine for it. Milliseconds since the Unix epoch. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/** ISO 8601 in UTC with milliseconds, the one form in which timestamps are stored and sent. */
export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
