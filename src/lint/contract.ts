import { flatSource, type Source } from '../config/source.ts'
import type { Model } from '../model/model.ts'
import type { FormViewDefinition } from '../views/definition.ts'
import type { DefinedForm, DefinedView } from '../views/views.ts'
import type { LintProject } from './project.ts'

/** Where a model is defined; one that the product brings along stands nowhere. */
export function modelSource({ models }: LintProject, { key, name }: Model): { source: Source; value: unknown } {
  const { source, value } = models.find(({ model }) => model.key === key)?.definition ?? {}
  return { source: source ?? flatSource(`built-in model ${name}`), value }
}

/** The models that both versions have, as they were and as they are. */
export function commonModels(before: LintProject, after: LintProject): [Model, Model][] {
  return before.registry.public.flatMap((was) => {
    const is = after.registry.get(was.key)
    return is === undefined || is.internal ? [] : [[was, is] as [Model, Model]]
  })
}

/** The forms that both versions have under one name, for one model. */
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

/** A place for what is gone: the file where it was, if that is still there. */
export const formerPlace = ({ file }: Source): Source => flatSource(file)
