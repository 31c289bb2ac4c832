/** The largest id that a file may set, leaving room for all later records. */
export const MAX_GIVEN_ID = 2 ** 52

/** True for an id that a file may set. */
export const isUsableId = (id: unknown): id is number => Number.isSafeInteger(id) && Number(id) >= 1 && Number(id) <= MAX_GIVEN_ID
