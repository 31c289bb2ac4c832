import type { Layout } from '../layout/layout.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** The failed logins by the digest of the account. */
export const lockoutsTable = (layout: Layout): Sql => sql`create table ${layout.system('lockouts')} (
  "name" text collate "C" primary key, "failures" integer not null, "at" timestamptz not null, "locked_until" timestamptz not null
) with (fillfactor = 50)`

/** The times of the requests of a caller that were allowed, and whether the last one was. A crash of the server may forget them. */
export const callersTable = (layout: Layout): Sql => sql`create unlogged table ${layout.system('callers')} (
  "caller" text collate "C" primary key, "times" timestamptz[] not null, "last_at" timestamptz not null, "allowed" boolean not null
) with (fillfactor = 50)`

/** The requests that each process counted between two exchanges, which it numbers. A crash of the server may forget them. */
export const requestsTable = (layout: Layout): Sql => sql`create unlogged table ${layout.system('requests')} (
  "at" timestamptz not null, "process" text collate "C" not null, "number" bigint not null,
  "caller" text collate "C" not null, "count" integer not null,
  primary key ("at", "process", "number", "caller"), unique ("caller", "at", "process", "number")
)`

/** The time of a transaction. Tests replace it. */
export type Now = () => Sql

export const databaseTime: Now = () => sql`now()`

/** A time that tests give, in milliseconds since the Unix epoch. */
export const givenTime = (milliseconds: number): Sql => sql`to_timestamp(${milliseconds}::double precision / 1000)`

/** An interval. */
export const interval = (milliseconds: number): Sql => sql`${literal(milliseconds)} * interval '1 millisecond'`

/** A time in milliseconds since the Unix epoch. */
export const inMilliseconds = (time: Sql): Sql => sql`extract(epoch from ${time}) * 1000`
