import { flatSource, type Source } from '../../config/source.ts'
import type { Model } from '../../model/model.ts'
import type { FormViewDefinition } from '../../views/definition.ts'
import type { DefinedForm, DefinedView } from '../../views/views.ts'
import type { LintProject } from '../project.ts'

/** The source of a model; undefined for built-in ones. */
export function modelSource({ models }: LintProject, { key, name }: Model): { source: Source; value: unknown } {
  const { source, value } = models.find(({ model }) => model.key === key)?.definition ?? {}
  return { source: source ?? flatSource(`built-in model ${name}`), value }
}

/** The models of both versions, as pairs of old and new. */
export function commonModels(before: LintProject, after: LintProject): [Model, Model][] {
  return before.registry.public.flatMap((was) => {
    const is = after.registry.get(was.key)
    return is === undefined || is.internal ? [] : [[was, is] as [Model, Model]]
  })
}

/** The forms of both versions with equal names and models. */
export function commonForms(
  before: LintProject,
  after: LintProject,
): { was: FormViewDefinition; is: DefinedForm; model: Model }[] {
  return before.views.flatMap(({ view: was, modelKey }) => {
    const is = after.views.find(({ view }) => view.name === was.name)
    const model = after.registry.get(modelKey)
    if (was.view_type !== 'form' || model === undefined || is === undefined || !isForm(is)) return []
    return is.modelKey === modelKey ? [{ was, is, model }] : []
  })
}

const isForm = (view: DefinedView): view is DefinedForm => view.view.view_type === 'form'

/** The position of something removed: its former file, if that still exists. */
export const formerSource = ({ file }: Source): Source => flatSource(file)
