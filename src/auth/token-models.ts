import { defineModel } from '../model/define.ts'

/**
 * A token of a link that is good once: a reset, an invitation, an address to verify. Only its hash is stored. Of the flows of single sign-on, the
 * used ones are stored.
 */
export const OneTimeToken = defineModel({
  name: 'OneTimeToken',
  timestamps: true,
  fields: [
    // Undefined for an invitation, and for a flow.
    { name: 'user_id', type: 'foreignkey', model: 'user', on_delete: 'cascade' },
    { name: 'kind', type: 'string', required: true },
    { name: 'hash', type: 'string', required: true, unique: true },
    { name: 'expires_at', type: 'datetime', required: true },
    // Stands for the password and the address of the user: a change of either ends the token.
    { name: 'mark', type: 'string', index: false },
    { name: 'data', type: 'json' },
  ],
})

/** The address of a user that was verified, as it was then. It counts only while it is the address of the user. */
export const VerifiedAddress = defineModel({
  name: 'VerifiedAddress',
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'email', type: 'string', required: true, index: false },
    { name: 'at', type: 'datetime', required: true, index: false },
  ],
})

/** Keys of the internal models. */
export const ONE_TIME_TOKENS = 'onetimetoken'
export const VERIFIED_ADDRESSES = 'verifiedaddress'
