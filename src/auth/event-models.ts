import { defineModel } from '../model/define.ts'

/** What has happened to an account. Failures of a minute from one address are one entry, whose `series` is unique. */
export const AccountEvent = defineModel({
  name: 'AccountEvent',
  fields: [
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade' },
    { name: 'event', type: 'string', required: true },
    { name: 'at', type: 'datetime', required: true, index: false },
    { name: 'address', type: 'string', index: false },
    { name: 'user_agent', type: 'string', index: false },
    { name: 'method', type: 'string', index: false },
    { name: 'session', type: 'integer', index: false },
    { name: 'request_id', type: 'string', index: false },
    { name: 'count', type: 'integer', required: true, index: false },
    { name: 'series', type: 'string', unique: true },
  ],
})

/** Key of the internal model of the log of accounts. */
export const ACCOUNT_EVENTS = 'accountevent'
