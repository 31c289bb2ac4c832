import type { FieldFilter } from '../query/plan.ts'
import type { Store, StoredRecord } from '../store/store.ts'

/** Maximum number of users whose addresses contain an address, among whom it is looked for. */
const MAX_SIMILAR = 1000

/**
 * An address in small letters. Only those of ASCII are changed: of other letters, several become the same one, so that the address of another user would
 * be found by a similar one.
 */
export const inSmallLetters = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** The user with an address, whatever the case of its letters A to Z. If several users have it so, none, unless it is exactly that of one. */
export async function userWithAddress(store: Store, address: string): Promise<StoredRecord | undefined> {
  if (!address.includes('@')) return undefined
  const filters: FieldFilter[] = [{ field: 'email', operator: 'eq', value: address }]
  const [exact] = (await store.find('user', { filters, sort: [], offset: 0, limit: 1 }, { withoutTotal: true })).records
  if (exact !== undefined) return exact
  const same = await usersWithAddress(store, address)
  return same.length === 1 ? same[0] : undefined
}

/** The users with an address, whatever the case of its letters A to Z. */
export async function usersWithAddress(store: Store, address: string): Promise<readonly StoredRecord[]> {
  const small = inSmallLetters(address)
  // The store compares other letters, too, and finds longer addresses: what it finds is compared again.
  const filters: FieldFilter[] = [{ field: 'email', operator: 'icontains', value: small }]
  const plan = { filters, sort: [], offset: 0, limit: MAX_SIMILAR }
  const { records: similar } = await store.find('user', plan, { withoutTotal: true })
  return similar.filter(({ email }) => inSmallLetters(String(email)) === small)
}
