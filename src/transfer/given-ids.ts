/** The largest id that a file may give a record: it leaves room for every record that will ever follow. */
export const MAX_GIVEN_ID = 2 ** 52

/** True for an id that a file may give a record. */
export const isUsableId = (id: unknown): id is number => Number.isSafeInteger(id) && Number(id) >= 1 && Number(id) <= MAX_GIVEN_ID
