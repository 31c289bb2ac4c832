import type { FaultRule } from '../config/fault.ts'
import type { LintRule } from './rule.ts'
import { contractAllowList } from './rules/contract/allow-list.ts'
import { contractBounds } from './rules/contract/bounds.ts'
import { contractField } from './rules/contract/field.ts'
import { contractModel } from './rules/contract/model.ts'
import { contractRequired } from './rules/contract/required.ts'
import { contractRule } from './rules/contract/rule.ts'
import { contractType } from './rules/contract/type.ts'
import { contractView } from './rules/contract/view.ts'
import { modelAccessInvalid } from './rules/model/access-invalid.ts'
import { modelDefaultInvalid } from './rules/model/default-invalid.ts'
import { modelDeleteCycle } from './rules/model/delete-cycle.ts'
import { modelDisplayField } from './rules/model/display-field.ts'
import { modelImpossibleBounds } from './rules/model/impossible-bounds.ts'
import { modelInvalid } from './rules/model/invalid.ts'
import { modelInvalidRename } from './rules/model/invalid-rename.ts'
import { modelRequiredSelfReference } from './rules/model/required-self-reference.ts'
import { modelUnknownIcon } from './rules/model/unknown-icon.ts'
import { modelUnknownRelation } from './rules/model/unknown-relation.ts'
import { modelUnsafePattern } from './rules/model/unsafe-pattern.ts'
import { configInvalid } from './rules/project/config-invalid.ts'
import { configUnknownKey } from './rules/project/config-unknown-key.ts'
import { configUnknownRule } from './rules/project/config-unknown-rule.ts'
import { configWeakSecret } from './rules/project/config-weak-secret.ts'
import { configWebhookUrl } from './rules/project/config-webhook-url.ts'
import { dataInvalidRecord } from './rules/project/data-invalid-record.ts'
import { dataLostRename } from './rules/project/data-lost-rename.ts'
import { fileInvalid } from './rules/project/file-invalid.ts'
import { roleInvalid } from './rules/project/role-invalid.ts'
import { roleUnknownPermission } from './rules/project/role-unknown-permission.ts'
import { seedInvalidRecord } from './rules/project/seed-invalid-record.ts'
import { viewChoiceDisplay } from './rules/view/choice-display.ts'
import { viewChoicesMismatch } from './rules/view/choices-mismatch.ts'
import { viewDefaultInvalid } from './rules/view/default-invalid.ts'
import { viewDuplicateField } from './rules/view/duplicate-field.ts'
import { viewDuplicateName } from './rules/view/duplicate-name.ts'
import { viewFieldsReference } from './rules/view/fields-reference.ts'
import { viewFilterUnusable } from './rules/view/filter-unusable.ts'
import { viewImpossibleBounds } from './rules/view/impossible-bounds.ts'
import { viewInlineForm } from './rules/view/inline-form.ts'
import { viewInvalid } from './rules/view/invalid.ts'
import { viewLooserThanModel } from './rules/view/looser-than-model.ts'
import { viewMissingTitle } from './rules/view/missing-title.ts'
import { viewNoForm } from './rules/view/no-form.ts'
import { viewNoList } from './rules/view/no-list.ts'
import { viewPasswordExposed } from './rules/view/password-exposed.ts'
import { viewPrimaryKeyWritable } from './rules/view/primary-key-writable.ts'
import { viewPrivilegedField } from './rules/view/privileged-field.ts'
import { viewReadonlyUpdatable } from './rules/view/readonly-updatable.ts'
import { viewRelationDisplay } from './rules/view/relation-display.ts'
import { viewRequiredNotCreatable } from './rules/view/required-not-creatable.ts'
import { viewRuleInvalid } from './rules/view/rule-invalid.ts'
import { viewSortUnsortable } from './rules/view/sort-unsortable.ts'
import { viewTypeMismatch } from './rules/view/type-mismatch.ts'
import { viewUnknownField } from './rules/view/unknown-field.ts'
import { viewUnknownModel } from './rules/view/unknown-model.ts'
import { viewUnreachableField } from './rules/view/unreachable-field.ts'
import { viewUseIncomplete } from './rules/view/use-incomplete.ts'
import { viewWidgetMismatch } from './rules/view/widget-mismatch.ts'

/** Every rule by id. */
export const RULES = {
  'file/invalid': fileInvalid,
  'config/invalid': configInvalid,
  'config/unknown-key': configUnknownKey,
  'config/unknown-rule': configUnknownRule,
  'config/weak-secret': configWeakSecret,
  'config/webhook-url': configWebhookUrl,
  'model/access-invalid': modelAccessInvalid,
  'model/default-invalid': modelDefaultInvalid,
  'model/delete-cycle': modelDeleteCycle,
  'model/display-field': modelDisplayField,
  'model/impossible-bounds': modelImpossibleBounds,
  'model/invalid': modelInvalid,
  'model/invalid-rename': modelInvalidRename,
  'model/required-self-reference': modelRequiredSelfReference,
  'model/unknown-icon': modelUnknownIcon,
  'model/unknown-relation': modelUnknownRelation,
  'model/unsafe-pattern': modelUnsafePattern,
  'role/invalid': roleInvalid,
  'role/unknown-permission': roleUnknownPermission,
  'seed/invalid-record': seedInvalidRecord,
  'view/choice-display': viewChoiceDisplay,
  'view/choices-mismatch': viewChoicesMismatch,
  'view/default-invalid': viewDefaultInvalid,
  'view/duplicate-field': viewDuplicateField,
  'view/duplicate-name': viewDuplicateName,
  'view/fields-reference': viewFieldsReference,
  'view/filter-unusable': viewFilterUnusable,
  'view/impossible-bounds': viewImpossibleBounds,
  'view/inline-form': viewInlineForm,
  'view/invalid': viewInvalid,
  'view/looser-than-model': viewLooserThanModel,
  'view/missing-title': viewMissingTitle,
  'view/no-form': viewNoForm,
  'view/no-list': viewNoList,
  'view/password-exposed': viewPasswordExposed,
  'view/primary-key-writable': viewPrimaryKeyWritable,
  'view/privileged-field': viewPrivilegedField,
  'view/readonly-updatable': viewReadonlyUpdatable,
  'view/relation-display': viewRelationDisplay,
  'view/required-not-creatable': viewRequiredNotCreatable,
  'view/rule-invalid': viewRuleInvalid,
  'view/sort-unsortable': viewSortUnsortable,
  'view/type-mismatch': viewTypeMismatch,
  'view/unknown-field': viewUnknownField,
  'view/unknown-model': viewUnknownModel,
  'view/unreachable-field': viewUnreachableField,
  'view/use-incomplete': viewUseIncomplete,
  'view/widget-mismatch': viewWidgetMismatch,
  'data/invalid-record': dataInvalidRecord,
  'data/lost-rename': dataLostRename,
  'contract/allow-list': contractAllowList,
  'contract/bounds': contractBounds,
  'contract/field': contractField,
  'contract/model': contractModel,
  'contract/required': contractRequired,
  'contract/rule': contractRule,
  'contract/type': contractType,
  'contract/view': contractView,
} as const satisfies Readonly<Record<FaultRule, LintRule>> & Readonly<Record<string, LintRule>>

/** Id of a rule, such as `view/unknown-field`. */
export type RuleId = keyof typeof RULES

/** The ids of all rules, in the order of the documentation. */
export const RULE_IDS = Object.keys(RULES) as RuleId[]

/** The rule of an id; undefined if there is none. */
export function ruleOf(id: string): LintRule | undefined {
  return Object.hasOwn(RULES, id) ? RULES[id as RuleId] : undefined
}
