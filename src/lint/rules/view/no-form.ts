import { missingView } from '../../missing-view.ts'
import type { LintRule } from '../../rule.ts'

/** Models without a form view. */
export const viewNoForm: LintRule = {
  id: 'view/no-form',
  ...missingView('form'),
  details: `In a project with views, front ends display what the views describe: a model without a form cannot be edited there. Add a form. For a model that
people do not edit (a log, a link table), set "view/no-form: off" under lint.rules, or add a comment above its name. A project without any views is not checked.`,
}
