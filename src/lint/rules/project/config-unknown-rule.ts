import { flatSource, type Source } from '../../../config/source.ts'
import { isObject } from '../../../util/json.ts'
import { didYouMean } from '../../../util/suggest.ts'
import { directivesIn } from '../../directives.ts'
import { configExample, formExample, type LintRule } from '../../rule.ts'

/** Unknown rule ids in settings and comments. */
export const configUnknownRule: LintRule = {
  id: 'config/unknown-rule',
  severity: 'error',
  summary: 'A rule that is set or disabled does not exist',
  details: `Settings under lint.rules in admin.config, and comments "# admin-lint-disable-next-line <id>", name rules by id. An
unknown id has no effect. \`admin lint --explain\` lists all ids.`,
  invalid: [
    configExample('lint: { rules: { »view/no-from«: off } }\n'),
    formExample('# admin-lint-disable-next-line »view/mising-title«\nfields: [{ name: title }]\n'),
  ],
  valid: [
    configExample('lint: { rules: { view/no-form: off } }\n'),
    formExample('# admin-lint-disable-next-line view/missing-title\nfields: [{ name: title }]\n'),
  ],
  project({ config, texts, ruleIds }, report) {
    const unknown = (source: Source, id: string, path: readonly string[]) => {
      if (!ruleIds.includes(id)) {
        report(source, path, `There is no rule '${id}'${didYouMean(id, ruleIds)}`, { part: 'key' })
      }
    }
    const lint = isObject(config?.value) && isObject(config.value.lint) ? config.value.lint : {}
    if (config !== undefined && isObject(lint.rules)) {
      for (const id of Object.keys(lint.rules)) unknown(config.source, id, ['lint', 'rules', id])
    }
    for (const [file, text] of texts) {
      for (const { ids } of directivesIn(file, text)) {
        for (const { id, line, column } of ids) {
          const position = { file, line, column, end: { line, column: column + id.length } }
          unknown({ ...flatSource(file), at: () => position }, id, [])
        }
      }
    }
  },
}
