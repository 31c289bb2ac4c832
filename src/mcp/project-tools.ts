import { explain, listRules } from '../lint/explain.ts'
import type { Paint } from '../lint/formats.ts'
import { isRuleId, RULE_IDS, RULES } from '../lint/rules.ts'
import { didYouMean } from '../util/suggest.ts'
import { type Answer, listAnswer, MAX_ANSWER_LENGTH, pieceOfJson } from './answer.ts'
import { offset } from './model-tools.ts'
import { choiceArgument, optional, textArgument, wholeArgument } from './parameters.ts'
import { defineTool, type Tool } from './tool.ts'
import { ToolError } from './tool-error.ts'

const lintProject = defineTool({
  name: 'lint_project',
  title: 'Check the project',
  description:
    'Findings in the models, views, settings and code of the project: file, line, rule, message. Call it after each change of a file of the project. For superusers.',
  parameters: {
    severity: optional(choiceArgument('Only findings of this severity', ['error', 'warn', 'note'])),
    file: optional(textArgument('Only findings in this file, such as models/post.yaml')),
    offset,
  },
  effect: 'reads',
  idempotent: true,
  ofProject: true,
  async run({ place }, { severity, file, offset = 0 }) {
    const { findings, summary } = await place.lint()
    const shown = findings.filter((each) => (severity ?? each.severity) === each.severity && (file ?? each.file) === each.file)
    return listAnswer({
      items: shown.slice(offset),
      ...{ offset, total: shown.length, noun: 'findings', others: { summary } },
    })
  },
})

const plain: Paint = (_, words) => words

const explainRule = defineTool({
  name: 'explain_rule',
  title: 'Explain a rule',
  description:
    'What a rule of lint_project finds, why it matters and what to write instead, with examples. Without a rule, all of them.',
  parameters: {
    rule: optional(textArgument('Id of the rule, such as view/unknown-field')),
    from: optional(wholeArgument('Character to begin at; the `next` of an answer names it', 0)),
  },
  effect: 'reads',
  idempotent: true,
  async run(_, { rule, from }): Promise<Answer> {
    if (rule === undefined) return textAnswer(listRules(), from, { rules: RULE_IDS.length })
    if (!isRuleId(rule)) {
      throw new ToolError(`There is no rule '${rule}'${didYouMean(rule, RULE_IDS) || '; explain_rule without a rule lists all'}`)
    }
    const { severity, summary } = RULES[rule]
    return textAnswer(explain(rule, plain), from, { rule, severity, summary })
  },
})

/** As much of a text as an answer has room for, and what a program reads of it. */
export function textAnswer(words: string, from = 0, about: Readonly<Record<string, unknown>> = {}): Required<Answer> {
  const part = pieceOfJson(words, from, MAX_ANSWER_LENGTH - 1000)
  const end = from + part.length
  if (end >= words.length) return { json: { ...about, text: part }, text: part }
  const note = `For the rest, call again with from ${end}.`
  return { json: { ...about, text: part, next: { from: end }, note }, text: `${part}\n\n${note}` }
}

/** Tools for the files of a project. */
export const PROJECT_TOOLS: readonly Tool[] = [lintProject, explainRule]
