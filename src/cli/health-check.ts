/** The result of one check. `fail` means that a server cannot start or cannot write. */
export interface Check {
  readonly name: CheckName
  readonly level: 'ok' | 'warn' | 'fail'
  readonly message: string
}

/** Checks of every project, then of a data folder, then of a database. */
export type CheckName =
  | 'node'
  | 'passwords'
  | 'config'
  | 'models'
  | 'images'
  | 'files'
  | 'lint'
  | 'lock'
  | 'disk'
  | 'journal'
  | 'secret'
  | 'connection'
  | 'version'
  | 'settings'
  | 'rights'
  | 'tables'
  | 'indexes'
  | 'search'
  | 'clock'
  | 'rows'
  | 'triggers'
  | 'totals'
  | 'ids'
  | 'words'
  | 'listen'

export type CheckResult = Omit<Check, 'name'>

/** Results by name, in the order of the report. */
export type CheckResults = Readonly<Partial<Record<CheckName, CheckResult>>>
