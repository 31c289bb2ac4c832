import { defineModel } from '../model/define.ts'

/** Key of the internal model of identities. */
export const IDENTITIES = 'authidentity'

/**
 * An identity at a provider, and the account that it logs in to. Issuer and subject are the identity (OpenID Connect Core 1.0, section 2); the
 * address is for people.
 */
export const AuthIdentity = defineModel({
  name: 'AuthIdentity',
  timestamps: true,
  unique_together: [['issuer', 'subject']],
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'issuer', type: 'string', required: true, max_length: 500 },
    { name: 'subject', type: 'string', required: true, max_length: 255 },
    { name: 'email', type: 'string', max_length: 254, index: false },
  ],
})
