import { AppError } from '../errors.ts'
import type { Path, Position, Source } from './source.ts'

/** Rules whose faults prevent a start. `admin lint` has more, and explains each. */
export type FaultRule =
  | 'file/invalid'
  | 'config/invalid'
  | 'config/unknown-key'
  | 'config/webhook-url'
  | 'config/weak-secret'
  | 'model/invalid'
  | 'model/invalid-rename'
  | 'model/unknown-relation'
  | 'model/impossible-bounds'
  | 'model/unsafe-pattern'
  | 'model/default-invalid'
  | 'model/display-field'
  | 'model/access-invalid'
  | 'role/invalid'
  | 'role/unknown-permission'
  | 'seed/invalid-record'
  | 'code/invalid'
  | 'code/unknown-model'
  | 'code/unknown-field'
  | 'code/action-unknown'
  | 'code/action-condition'
  | 'code/name-taken'
  | 'code/path-conflict'
  | 'code/schedule-never'
  | 'view/invalid'
  | 'view/unknown-model'
  | 'view/unknown-field'
  | 'view/fields-reference'
  | 'view/related-field'
  | 'view/duplicate-name'
  | 'view/duplicate-field'
  | 'view/rule-invalid'
  | 'dashboard/invalid'
  | 'dashboard/unknown-model'
  | 'dashboard/query-invalid'

/** A fault in a project file, with its position. */
export interface Fault {
  readonly rule: FaultRule
  readonly position: Position
  readonly message: string
}

/** Renders a fault as one line: `models/post.yaml:7:5: Unknown key 'lenght'; did you mean 'max_length'?` */
export function formatFault({ position, message }: Fault): string {
  return `${position.file}:${position.line}:${position.column}: ${message}`
}

interface FaultOptions {
  readonly rule?: FaultRule
  /** Whether the position is of the value or of its key. */
  readonly part?: 'key' | 'value'
}

/** Collects faults, so that all of them are reported together. */
export class Faults {
  readonly list: Fault[] = []
  readonly #rule: FaultRule

  /** @param rule the rule of faults that name none */
  constructor(rule: FaultRule = 'file/invalid') {
    this.#rule = rule
  }

  add(source: Source, path: Path, message: string, { rule = this.#rule, part = 'value' }: FaultOptions = {}): void {
    this.list.push({ rule, position: source.at(path, part), message })
  }

  addAll(faults: Iterable<Fault>): void {
    for (const fault of faults) this.list.push(fault)
  }

  get any(): boolean {
    return this.list.length > 0
  }

  /** @throws {ConfigError} if there is at least one fault */
  throwIfAny(): void {
    if (this.any) throw new ConfigError(this.list)
  }
}

/** The project's files have faults. The message lists all of them, in the order of files and lines. */
export class ConfigError extends AppError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const ordered = [...faults].sort(byPosition)
    super('CONFIG_INVALID', ordered.map(formatFault).join('\n'))
    this.name = 'ConfigError'
    this.faults = ordered
  }
}

function byPosition({ position: a }: Fault, { position: b }: Fault): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
