import type { Model } from '../../model/model.ts'
import type { Store } from '../../store/store.ts'
import type { JsonObject } from '../../util/json.ts'
import { userNamed } from '../users.ts'
import type { ProvenIdentity } from './provider.ts'

/** Names that are tried: `mike`, `mike-2` and so on. */
const MAX_NAMES = 100
const MIN_LENGTH = 3
const MAX_LENGTH = 150

/** The values of a new account for an identity. It has no password, and no rights but those of its mapped groups. */
export async function accountValues(store: Store, users: Model, identity: ProvenIdentity, email: string): Promise<JsonObject> {
  const { firstName, lastName } = identity
  const optional = { first_name: firstName, last_name: lastName }
  const known = Object.entries(optional).flatMap(([name, value]) =>
    value !== undefined && users.fields.has(name) ? [[name, value]] : [],
  )
  return { username: await freeName(store, identity, email), email, password: null, ...Object.fromEntries(known) }
}

/** A name that no account has: that of the provider, or the first part of the address. */
async function freeName(store: Store, { username }: ProvenIdentity, email: string): Promise<string> {
  const wanted = username?.includes('@') === true ? username.slice(0, username.indexOf('@')) : (username ?? '')
  const [ofProvider, ofAddress] = [plain(wanted), plain(email.slice(0, email.lastIndexOf('@')))]
  const base = ofProvider.length >= MIN_LENGTH ? ofProvider : ofAddress.length >= MIN_LENGTH ? ofAddress : `user-${ofAddress}`
  for (let number = 1; number < MAX_NAMES; number++) {
    const name = number === 1 ? base : `${base}-${number}`
    if ((await userNamed(store, name)) === undefined) return name
  }
  // The store refuses it.
  return base
}

/** What a name may consist of. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_.-]/g, '')
    .slice(0, MAX_LENGTH - 4)
