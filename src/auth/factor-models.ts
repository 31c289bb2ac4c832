import { defineModel } from '../model/define.ts'

/** Key of the internal model of second factors. */
export const FACTORS = 'authfactor'

/**
 * A second factor of a user. Of the kind `totp`: an authenticator with its sealed secret, which counts once it is confirmed; `last_step` is the
 * time step of the last code that was used. Of the kind `recovery`: the hashes of the recovery codes that are left.
 */
export const AuthFactor = defineModel({
  name: 'AuthFactor',
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'kind', type: 'string', required: true, index: false },
    { name: 'secret', type: 'string', index: false },
    { name: 'codes', type: 'json' },
    { name: 'created_at', type: 'datetime', required: true, index: false },
    { name: 'confirmed_at', type: 'datetime', index: false },
    { name: 'last_used_at', type: 'datetime', index: false },
    { name: 'last_step', type: 'integer', index: false },
  ],
})
