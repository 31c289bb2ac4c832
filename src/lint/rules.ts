import type { FaultRule } from '../config/fault.ts'
import type { LintRule } from './rule.ts'
import { CODE_RULES } from './rules/code.ts'
import { CONTRACT_RULES } from './rules/contract.ts'
import { CONTRACT_BOUNDS_RULES } from './rules/contract-bounds.ts'
import { CONTRACT_FILE_RULES } from './rules/contract-files.ts'
import { DASHBOARD_RULES } from './rules/dashboard.ts'
import { ENDPOINT_RULES } from './rules/endpoints.ts'
import { FILE_FIELD_RULES } from './rules/file-fields.ts'
import { MODEL_RULES } from './rules/models.ts'
import { PROJECT_FILE_RULES } from './rules/project-files.ts'
import { STORED_DATA_RULES } from './rules/stored-data.ts'
import { VIEW_FIELD_RULES } from './rules/view-fields.ts'
import { VIEW_STRUCTURE_RULES } from './rules/view-structure.ts'
import { VIEW_VALUE_RULES } from './rules/view-values.ts'
import { VIEW_WRITE_RULES } from './rules/view-writes.ts'

/** Every rule by id. The ids are stable, since settings and comments refer to them. */
export const RULES = {
  ...PROJECT_FILE_RULES,
  ...MODEL_RULES,
  ...CODE_RULES,
  ...ENDPOINT_RULES,
  ...VIEW_STRUCTURE_RULES,
  ...VIEW_FIELD_RULES,
  ...VIEW_VALUE_RULES,
  ...VIEW_WRITE_RULES,
  ...DASHBOARD_RULES,
  ...FILE_FIELD_RULES,
  ...STORED_DATA_RULES,
  ...CONTRACT_RULES,
  ...CONTRACT_BOUNDS_RULES,
  ...CONTRACT_FILE_RULES,
} as const satisfies Readonly<Record<FaultRule, LintRule>> & Readonly<Record<string, LintRule>>

/** Id of a rule, such as `view/unknown-field`. */
export type RuleId = keyof typeof RULES

/** The ids of all rules, in the order of the documentation. */
export const RULE_IDS = Object.keys(RULES) as RuleId[]

/** True for the id of a rule. */
export const isRuleId = (id: string): id is RuleId => Object.hasOwn(RULES, id)
