import type { DefinedModel } from '../../../model/build.ts'
import { isObject } from '../../../util/json.ts'
import type { LintProject } from '../../project.ts'
import { type LintRule, modelExample } from '../../rule.ts'

/** Circular cascades of deletions. */
export const modelDeleteCycle: LintRule = {
  id: 'model/delete-cycle',
  severity: 'warn',
  summary: 'Deleting a record can delete records of all models in a cycle',
  details: `With on_delete: cascade a record is deleted with the record that it refers to. If such relations form a cycle over several models,
deleting one record can delete everything connected to it.

Use restrict (the default) or set_null for one relation of the cycle. A relation to the model itself, as in a tree, is allowed: a node is
deleted with its descendants.`,
  invalid: [
    modelExample(
      '- name: Team\n  fields:\n    - { name: lead_id, type: foreignkey, model: member, on_delete: »cascade« }\n' +
        '- name: Member\n  fields:\n    - { name: team_id, type: foreignkey, model: team, on_delete: cascade }\n',
    ),
    modelExample(
      '- name: A\n  fields:\n    - name: b_id\n      type: foreignkey\n      model: b\n      on_delete: »cascade«\n' +
        '- name: B\n  fields:\n    - { name: c_id, type: one_to_one, model: c, on_delete: cascade }\n' +
        '- name: C\n  fields:\n    - { name: a_id, type: foreignkey, model: a, on_delete: cascade }\n',
    ),
  ],
  valid: [
    modelExample(
      '- name: Team\n  fields:\n    - { name: lead_id, type: foreignkey, model: member, on_delete: set_null }\n' +
        '- name: Member\n  fields:\n    - { name: team_id, type: foreignkey, model: team, on_delete: cascade }\n',
    ),
    modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page, on_delete: cascade }\n'),
  ],
  project(project, report) {
    const reported = new Set<string>()
    for (const { model, definition } of project.models) {
      if (reported.has(model.key)) continue
      const cycle = shortestCycle(project, model.key)
      if (cycle === undefined) continue
      for (const key of cycle) reported.add(key)
      const [next] = cycle.slice(1)
      const index = cascadeTo({ model, definition }, next ?? '')
      const names = cycle.map((key) => project.registry.get(key)?.name ?? key)
      report(
        definition.source,
        ['fields', index, 'on_delete'],
        `Deletions cascade in a cycle: ${names.toReversed().join(' → ')}; use restrict or set_null for one of these relations`,
      )
    }
  },
}

/** The shortest cycle of cascading relations through a model and at least one other. */
function shortestCycle({ registry }: LintProject, start: string): string[] | undefined {
  const seen = new Set([start])
  let paths: string[][] = [[start]]
  while (paths.length > 0) {
    const longer: string[][] = []
    for (const path of paths) {
      for (const { relation } of registry.get(path.at(-1) ?? '')?.relations.values() ?? []) {
        if (relation.kind !== 'one' || relation.onDelete !== 'cascade') continue
        if (relation.target === start && path.length > 1) return [...path, start]
        if (seen.has(relation.target)) continue
        seen.add(relation.target)
        longer.push([...path, relation.target])
      }
    }
    paths = longer
  }
  return undefined
}

function cascadeTo({ definition: { value } }: Pick<DefinedModel, 'model' | 'definition'>, target: string): number {
  const fields = isObject(value) && Array.isArray(value.fields) ? value.fields : []
  return fields.findIndex(
    (field: unknown) =>
      isObject(field) && field.on_delete === 'cascade' && typeof field.model === 'string' && field.model.toLowerCase() === target,
  )
}
