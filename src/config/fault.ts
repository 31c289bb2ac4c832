import { AppError } from '../errors.ts'
import type { Path, Position, Source } from './source.ts'

/** The rules that a project must keep to be served. `admin lint` has more, and explains each. */
export type FaultRule =
  | 'file/invalid'
  | 'config/invalid'
  | 'config/unknown-key'
  | 'config/webhook-url'
  | 'config/weak-secret'
  | 'model/invalid'
  | 'model/unknown-relation'
  | 'model/impossible-bounds'
  | 'model/unsafe-pattern'
  | 'model/default-invalid'
  | 'model/display-field'
  | 'view/invalid'
  | 'view/unknown-model'
  | 'view/unknown-field'
  | 'view/fields-reference'
  | 'view/duplicate-name'
  | 'view/duplicate-field'
  | 'view/rule-invalid'

/** Something wrong with a file a person wrote, and where. */
export interface Fault {
  readonly rule: FaultRule
  readonly position: Position
  readonly message: string
}

/** `models/post.yaml:7:5: Unknown key 'lenght'; did you mean 'max_length'?` */
export function formatFault({ position, message }: Fault): string {
  return `${position.file}:${position.line}:${position.column}: ${message}`
}

interface FaultOptions {
  readonly rule?: FaultRule
  /** Whether the fault is in a value or in its name. */
  readonly part?: 'key' | 'value'
}

/** Gathers faults, so that all of them are reported and not only the first. */
export class Faults {
  readonly list: Fault[] = []
  readonly #rule: FaultRule

  /** @param rule the rule that is broken where a fault names none */
  constructor(rule: FaultRule = 'file/invalid') {
    this.#rule = rule
  }

  add(source: Source, path: Path, message: string, { rule = this.#rule, part = 'value' }: FaultOptions = {}): void {
    this.list.push({ rule, position: source.at(path, part), message })
  }

  addAll(faults: Iterable<Fault>): void {
    this.list.push(...faults)
  }

  get any(): boolean {
    return this.list.length > 0
  }

  /** @throws {ConfigError} when there is at least one fault. */
  throwIfAny(): void {
    if (this.any) throw new ConfigError(this.list)
  }
}

/** The project's files cannot be used. Its message lists every fault, in the order of files and lines. */
export class ConfigError extends AppError {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const ordered = [...faults].sort(byPlace)
    super('CONFIG_INVALID', ordered.map(formatFault).join('\n'))
    this.name = 'ConfigError'
    this.faults = ordered
  }
}

function byPlace({ position: a }: Fault, { position: b }: Fault): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
