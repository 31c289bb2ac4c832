import { missingView } from '../../missing-view.ts'
import type { LintRule } from '../../rule.ts'

/** Models without a list view. */
export const viewNoList: LintRule = {
  id: 'view/no-list',
  ...missingView('list'),
  details: `In a project with views, front ends display what the views describe: a model without a list cannot be listed there. Add a list. For a model that
people do not browse (a log, a link table), set "view/no-list: off" under lint.rules, or add a comment above its name. A project without any views is not checked.`,
}
