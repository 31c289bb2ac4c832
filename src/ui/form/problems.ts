import { AdminError, type FieldErrors } from '../../client/client.ts'
import type { Text } from '../text/en.ts'
import { errorMessage } from '../text/error-message.ts'
import { Unparsed } from '../widgets/unparsed.ts'
import type { FormRows } from './use-rows.ts'
import type { FormValues } from './values.ts'

/** What kept a form from being saved. */
export interface Problems {
  readonly error: unknown
  /** Messages by field; empty if the fault is not that of a field. */
  readonly fields: FieldErrors
  /** Those of rows of other models in the form. */
  readonly rows?: readonly RowProblem[]
  /** Tries again what failed before the save. */
  readonly retry?: () => void
}

/** What kept a row of a form from being saved. */
export interface RowProblem {
  readonly key: string
  /** The table and the number of the row in it. */
  readonly title: string
  /** Number of its faulty fields. */
  readonly fields: number
  readonly messages: readonly string[]
  /** Typed texts that are no values. */
  readonly unparsed: readonly unknown[]
  /** Moves the focus to the row. */
  readonly open: () => void
  /** True once the user has settled it. */
  readonly isSettled?: (rows: FormRows) => boolean
}

/**
 * The problems that a failed request names.
 *
 * @param titleOf the title of a field in the form
 * @param sent names of the fields that the request would have changed
 */
export function problemsOf(error: unknown, titleOf: (name: string) => string, sent: readonly string[] = []): Problems {
  if (!(error instanceof AdminError)) return { error, fields: {} }
  const cause = error.summary === 'Last superuser' ? LOSING_SUPERUSER.find((name) => sent.includes(name)) : undefined
  return { error, fields: cause === undefined ? error.titled(titleOf).fieldErrors : { [cause]: [error.message] } }
}

/** Says which tables have no rows to copy, because these could not be read. */
export function uncopiedProblems(
  { tables }: FormRows,
  titleOf: (table: string) => string,
  text: Text['errors'],
  retried: () => void,
): Problems {
  const failed = Object.entries(tables).flatMap(([table, { failure }]) => (failure === undefined ? [] : [{ table, ...failure }]))
  const retry = () => {
    retried()
    for (const each of failed) each.retry()
  }
  const rows = failed.map(
    ({ table, error }): RowProblem => ({
      key: table,
      title: titleOf(table),
      fields: 0,
      messages: [errorMessage(error, text)],
      unparsed: [],
      open: retry,
      isSettled: (latest) => latest.tables[table]?.isCopied === true,
    }),
  )
  return { error: undefined, fields: {}, rows, retry }
}

/** The problems of some fields; undefined if there are none, or if the fault is not that of a field. */
export function problemsAt(problems: Problems, isOwn: (name: string) => boolean): Problems | undefined {
  const own = Object.entries(problems.fields).filter(([name]) => isOwn(name))
  return own.length === 0 ? undefined : { error: problems.error, fields: Object.fromEntries(own) }
}

/** Messages as one sentence, such as "Rate is mandatory; Note is too long". */
export const joinedMessages = (messages: readonly string[]): string =>
  messages.map((message, index) => (index < messages.length - 1 ? message.replace(/\.$/, '') : message)).join('; ')

/** The fields of a user by which the last superuser may be lost. The API names neither. */
const LOSING_SUPERUSER = ['is_superuser', 'is_active']

/** True if a typed text is no value of its field, so that the values cannot be sent. */
export const hasUnparsed = (values: FormValues): boolean => Object.values(values).some((value) => value instanceof Unparsed)

/**
 * The problems of values of which some are typed texts that are no values. The inputs show the messages of these; a dry run with the other
 * values finds the other faults, so that all are shown at once.
 *
 * @param dryRun sends values without storing them
 * @param titleOf the title of a field in the form
 */
export async function unparsedProblems(
  values: FormValues,
  dryRun: (values: FormValues) => Promise<unknown>,
  titleOf: (name: string) => string,
): Promise<Problems> {
  const names = Object.keys(values).filter((name) => values[name] instanceof Unparsed)
  const unparsed = Object.fromEntries(names.map((name) => [name, []]))
  const parsed = Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
  try {
    await dryRun(parsed)
    return { error: undefined, fields: unparsed }
  } catch (error) {
    // A fault that belongs to no field shows once the values can be sent.
    return { error: undefined, fields: { ...problemsOf(error, titleOf).fields, ...unparsed } }
  }
}
