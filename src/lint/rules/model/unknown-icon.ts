import { didYouMean } from '../../../util/suggest.ts'
import { ICON_NAMES } from '../../icon-names.ts'
import { type LintRule, modelExample } from '../../rule.ts'

/** Icons that Lucide does not have. */
export const modelUnknownIcon: LintRule = {
  id: 'model/unknown-icon',
  severity: 'warn',
  summary: 'The icon of a model is not one of Lucide',
  details: `The icon of a model is a name of Lucide (lucide.dev), such as file-text, users or shopping-cart. For an unknown name, the admin page
displays a general icon.`,
  invalid: [
    modelExample('name: Note\nicon: »file-txt«\nfields: [{ name: title, type: string }]\n'),
    modelExample('name: Note\nicon: »Users«\nfields: [{ name: title, type: string }]\n'),
  ],
  valid: [
    modelExample('name: Note\nfields: [{ name: title, type: string }]\n'),
    modelExample('name: Note\nicon: file-text\ngroup: Content\nfields: [{ name: title, type: string }]\n'),
  ],
  model({ model: { icon }, source }, report) {
    if (icon !== undefined && !ICON_NAMES.has(icon))
      report(source, ['icon'], `Unknown icon '${icon}'${didYouMean(icon, ICON_NAMES)}`)
  },
}
