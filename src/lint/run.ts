import type { Fault } from '../config/fault.ts'
import type { Position, Source } from '../config/source.ts'
import { isObject } from '../util/json.ts'
import { directivesIn } from './directives.ts'
import { byPosition, endOf, type Finding, type Severity } from './finding.ts'
import type { LintProject } from './project.ts'
import type { FieldContext, LintRule, ReportFinding, ViewContext } from './rule.ts'
import { RULES } from './rules.ts'

/**
 * All findings of a project: the faults that prevent a start, and the findings of the rules. Ordered by file and position, without
 * duplicates.
 *
 * @param faults the faults that prevent a start
 * @param before an earlier version to compare with
 */
export function lint(project: LintProject, faults: readonly Fault[], before?: LintProject): Finding[] {
  const severities = severitiesIn(project)
  const findings = faults.map(({ rule, message, position }): Finding => {
    const note = severities.has(rule) && severities.get(rule) !== 'error' ? CANNOT_BE_OFF : ''
    return { ...positionOf(project, position), rule, message: message + note, severity: 'error', stopsServe: true }
  })
  for (const [id, rule] of Object.entries<LintRule>(RULES)) {
    const severity = severities.get(id) ?? rule.severity
    if (severity === 'off') continue
    const report = reporter(project, id, severity, findings)
    rule.project?.(project, report)
    if (before !== undefined) rule.compare?.(before, project, report)
    for (const { model, definition } of rule.model === undefined ? [] : project.models) {
      rule.model?.({ project, model, definition, source: definition.source }, report)
    }
    if (rule.view !== undefined || rule.field !== undefined) visitViews(project, rule, report)
  }
  return withoutDuplicates(withoutDisabled(project, findings)).sort(byPosition)
}

const CANNOT_BE_OFF = '; this prevents the start, so lint.rules cannot turn it off'

function reporter(project: LintProject, rule: string, severity: Severity, findings: Finding[]): ReportFinding {
  return (source: Source, path, message, { part = 'value', fix, ...about } = {}) => {
    const edit = fix && source.edit?.(fix)
    findings.push({
      ...positionOf(project, source.at(path, part)),
      ...about,
      ...(edit && { fix: edit }),
      rule,
      message,
      severity: about.breaking === false ? 'note' : severity,
      stopsServe: false,
    })
  }
}

function positionOf({ texts }: LintProject, position: Position): Pick<Finding, 'file' | 'line' | 'column' | 'end'> {
  const { file, line, column } = position
  return { file, line, column, end: endOf(position, texts.get(file)) }
}

function visitViews(project: LintProject, rule: LintRule, report: ReportFinding): void {
  for (const { view, modelKey, source } of project.views) {
    const model = project.registry.expect(modelKey)
    const faultyFields = project.models.find((each) => each.model === model)?.faultyFields
    const form = view.view_type === 'form' ? view : undefined
    const fieldOf = (name: string) => {
      if (faultyFields?.has(name) === true) return undefined
      return model.fields.get(name) ?? (form === undefined ? model.relations.get(name) : undefined)
    }
    const context: ViewContext = { project, view, form, model, source, fieldOf }
    rule.view?.(context, report)
    if (rule.field === undefined) continue
    const seen = new Set<string>()
    for (const [index, field] of view.fields.entries()) {
      const modelField = fieldOf(field.name)
      // Unknown and duplicate fields are reported by other rules.
      if (modelField === undefined || seen.has(field.name)) continue
      seen.add(field.name)
      const at: FieldContext = { ...context, field, modelField, path: ['fields', index] }
      rule.field(at, report)
    }
  }
}

/**
 * The severities set in the settings, read from the raw definition, since one fault in the settings must not disable all of
 * them.
 */
function severitiesIn({ config }: LintProject): ReadonlyMap<string, Exclude<Severity, 'note'> | 'off'> {
  const section = isObject(config?.value) && isObject(config.value.lint) ? config.value.lint.rules : undefined
  const entries = isObject(section) ? Object.entries(section) : []
  return new Map(
    entries.flatMap(([id, severity]) =>
      severity === 'off' || severity === 'warn' || severity === 'error' ? [[id, severity] as const] : [],
    ),
  )
}

/** Faults that prevent a start cannot be disabled. */
function withoutDisabled({ texts }: LintProject, findings: readonly Finding[]): Finding[] {
  const disabled = new Set<string>()
  for (const [file, text] of texts) {
    for (const { target, ids } of directivesIn(file, text)) for (const { id } of ids) disabled.add(`${file}:${target} ${id}`)
  }
  return findings.filter(({ file, line, rule, stopsServe }) => stopsServe || !disabled.has(`${file}:${line} ${rule}`))
}

function withoutDuplicates(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, file, line, column, message }) => {
    const key = `${file}:${line}:${column} ${rule} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}
