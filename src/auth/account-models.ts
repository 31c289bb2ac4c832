import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'
import type { ModelDefinition } from '../model/definition.ts'
import { AccountEvent } from './event-models.ts'
import { AuthFactor } from './factor-models.ts'
import { AuthIdentity } from './identity-models.ts'
import { OneTimeToken, VerifiedAddress } from './token-models.ts'

const User = defineModel({
  name: 'User',
  label: 'Users',
  icon: 'user-round',
  display_field: 'username',
  timestamps: true,
  fields: [
    {
      name: 'username',
      type: 'string',
      required: true,
      unique: true,
      min_length: 2,
      max_length: 150,
      pattern: '^[A-Za-z0-9_.-]+$',
    },
    { name: 'email', type: 'email', required: true, unique: true },
    { name: 'password', type: 'password', min_length: 8, max_length: 1024 },
    { name: 'first_name', type: 'string', max_length: 150 },
    { name: 'last_name', type: 'string', max_length: 150 },
    { name: 'is_active', type: 'boolean', default: true },
    { name: 'is_superuser', type: 'boolean', default: false },
    { name: 'last_login', type: 'datetime' },
    { name: 'groups', type: 'many_to_many', model: 'group' },
    { name: 'permissions', type: 'many_to_many', model: 'permission' },
  ],
})

const Group = defineModel({
  name: 'Group',
  label: 'Groups',
  icon: 'users-round',
  display_field: 'name',
  timestamps: true,
  fields: [
    { name: 'name', type: 'string', required: true, unique: true, max_length: 150 },
    { name: 'description', type: 'text' },
    { name: 'permissions', type: 'many_to_many', model: 'permission' },
  ],
})

const Permission = defineModel({
  name: 'Permission',
  label: 'Permissions',
  icon: 'key-round',
  display_field: 'codename',
  timestamps: true,
  fields: [
    { name: 'codename', type: 'string', required: true, unique: true, max_length: 150, pattern: '^[a-z0-9_]+$' },
    { name: 'name', type: 'string', max_length: 255 },
    { name: 'description', type: 'text' },
  ],
})

/**
 * A session: one login and its present refresh token. A refresh replaces the token. Logout, or reuse of a replaced token,
 * deletes the session and thereby the whole family of tokens (RFC 9700). `in_cookie` is true if the refresh token is in a
 * cookie; `replaced` lists the tokens that were replaced just now, which a cookie may still hold. `method` is how the user has logged in, and
 * `authenticated_at` when, or when the login was confirmed last.
 */
const AuthSession = defineModel({
  name: 'AuthSession',
  timestamps: true,
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'family', type: 'string', required: true, unique: true },
    { name: 'token_id', type: 'string', required: true },
    { name: 'credential', type: 'string', required: true },
    { name: 'expires_at', type: 'datetime', required: true },
    // Earlier versions did not store the following fields; sessions of theirs have none.
    { name: 'last_used_at', type: 'datetime', index: false },
    { name: 'address', type: 'string' },
    { name: 'user_agent', type: 'string' },
    { name: 'in_cookie', type: 'boolean', default: false },
    { name: 'replaced', type: 'json' },
    { name: 'method', type: 'string', index: false },
    { name: 'authenticated_at', type: 'datetime', index: false },
  ],
})

/** An API key. It acts for its owner, within its scopes. The key itself is not stored. */
const ApiKey = defineModel({
  name: 'ApiKey',
  timestamps: true,
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'name', type: 'string', required: true, index: false },
    { name: 'hash', type: 'string', required: true, unique: true },
    { name: 'hint', type: 'string', required: true, index: false },
    { name: 'scopes', type: 'json', required: true },
    { name: 'expires_at', type: 'datetime', index: false },
    { name: 'last_used_at', type: 'datetime', index: false },
  ],
})

const builtIn = (model: ModelDefinition): Definition => ({ value: model, source: flatSource(`built-in model ${model.name}`) })

/** Keys of the models of accounts and permissions. */
export const ACCOUNT_MODELS: readonly string[] = ['user', 'group', 'permission']

/** Key of the internal model of API keys. */
export const API_KEYS = 'apikey'

/** Key of the internal model of sessions. */
export const SESSIONS = 'authsession'

/** The internal models of accounts. */
const INTERNAL: readonly ModelDefinition[] = [
  ...[AuthSession, ApiKey, AccountEvent, AuthFactor, AuthIdentity, OneTimeToken, VerifiedAddress],
]

/** Keys of all models of accounts, also of those that are internal: their records stay where accounts stay. */
export const ACCOUNT_TABLES: readonly string[] = [...ACCOUNT_MODELS, ...INTERNAL.map(({ name }) => name.toLowerCase())]

/** The built-in models of accounts and permissions, the fields that only the server sets, and those that are left empty explicitly only. */
export const AUTH_MODELS = {
  public: [User, Group, Permission].map(builtIn),
  internal: INTERNAL.map(builtIn),
  serverSet: new Map([['user', new Set(['last_login'])]]),
  // A user without a password cannot log in with one. That is decided, and does not happen by a forgotten field.
  explicit: new Map([['user', new Set(['password'])]]),
}
