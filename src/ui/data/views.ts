import { queryOptions } from '@tanstack/react-query'
import type { RelatedRows, SiteField, SiteModel, View, ViewLayout } from '../../client/client.ts'
import type { PageSession } from './page-session.ts'
import { fieldOf, wordsOf } from './site.ts'

/** A field of a view, as the Views API returns it. */
export interface FieldView {
  readonly name: string
  readonly title?: string
  readonly help_text?: string
  readonly field_type?: string
  readonly widget?: string
  readonly placeholder?: string
  readonly default_value?: unknown
  readonly options?: FieldOptions
  readonly visible_when?: string
  readonly required: boolean
  readonly readonly: boolean
  readonly disabled: boolean
  readonly is_primary_key: boolean
}

/** Narrowed limits, choices, and how values are shown. */
interface FieldOptions {
  readonly choices?: readonly (
    | string
    | number
    | { readonly value: string | number; readonly label?: string; readonly color?: string }
  )[]
  readonly labels?: Readonly<Record<string, string>>
  readonly colors?: Readonly<Record<string, string>>
  readonly min_length?: number
  readonly max_length?: number
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly decimal_places?: number
  /** Of a file: bytes, or a text such as `8 MiB`. */
  readonly max_size?: number | string
  readonly max_files?: number
  readonly accept?: readonly string[]
}

/** A group of fields of a form, under a title. */
interface FieldGroup {
  readonly title: string
  readonly fields: readonly string[]
  readonly collapsed?: boolean
}

export interface FormView {
  readonly name: string
  readonly view_type: 'form'
  readonly generated?: true
  readonly fields: readonly FieldView[]
  readonly creation_fields?: readonly string[]
  readonly allowed_update_fields?: readonly string[]
  readonly use?: readonly ('create' | 'update')[]
  readonly groups?: readonly FieldGroup[]
  /** Tables of records that refer to the one in the form. */
  readonly related?: readonly RelatedRows[]
  /** The actions that it offers, in this order; absent if it offers all of the model. */
  readonly actions?: readonly string[]
}

export interface ListView {
  readonly name: string
  readonly view_type: 'list'
  readonly generated?: true
  readonly fields: readonly FieldView[]
  readonly sort?: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[]
  readonly page_size?: number
  readonly filters?: readonly string[]
  readonly inline_form?: string
  readonly layout?: ViewLayout
  readonly actions?: readonly string[]
}

/** The forms and lists of a model, in the order of the project's files; at least one of each. */
export interface ModelViews {
  readonly forms: readonly FormView[]
  readonly lists: readonly ListView[]
}

/** The query of the views of a model; generated ones stand in for missing ones. */
export const viewsQuery = (session: PageSession, model: string) =>
  queryOptions({
    queryKey: ['views', model],
    queryFn: ({ signal }) => session.read(signal, (client) => client.viewsOf(model, { generated: true, signal })),
    select: sortedViews,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The views of a model by kind. The members that the client leaves open are those that the Views API documents. */
export function sortedViews(views: readonly View[]): ModelViews {
  const all = views as readonly unknown[] as readonly (FormView | ListView)[]
  return {
    forms: all.filter((view) => view.view_type === 'form'),
    lists: all.filter((view) => view.view_type === 'list'),
  }
}

/** The form that the server validates a write by: none for a generated form, which asks no more than the model. */
export const underForm = ({ name, generated }: FormView): { readonly form_id?: string } =>
  generated === true ? {} : { form_id: name }

/** The forms that may be chosen for an action: those whose `use` names it, or that have no `use`, and that accept fields in it. */
export const formsFor = (forms: readonly FormView[], action: 'create' | 'update'): readonly FormView[] =>
  forms.filter((form) => (form.use === undefined || form.use.includes(action)) && settableFields(form, action).length > 0)

/**
 * The form that opens for an action: the first whose `use` names it, otherwise the first without `use` that accepts fields.
 *
 * @returns undefined if no form of the model accepts a field in this action
 */
export function formFor(forms: readonly FormView[], action: 'create' | 'update'): FormView | undefined {
  const fitting = formsFor(forms, action)
  return fitting.find((form) => form.use !== undefined) ?? fitting[0]
}

/** Names of the fields that a form accepts in an action, in the order of the form. */
export function settableFields(form: FormView, action: 'create' | 'update'): readonly string[] {
  const { creation_fields: creation, allowed_update_fields: update } = form
  const allowed = action === 'create' ? creation : (update ?? creation)
  return form.fields
    .filter((field) => !field.is_primary_key && !field.readonly && !field.disabled)
    .map(({ name }) => name)
    .filter((name) => allowed === undefined || allowed.includes(name))
}

/** The help of a field: that of the view, otherwise of the model; undefined if it is empty. */
export const helpOf = (view: FieldView, field: SiteField | undefined): string | undefined =>
  (view.help_text ?? field?.help_text) || undefined

/** The fields of users and groups that grant permissions, by model. */
export const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  user: ['is_superuser', 'groups', 'permissions'],
  group: ['permissions'],
}

/** Fields that the server accepts from superusers only: who renames a permission changes what its holders may do. */
const PRIVILEGED: Readonly<Record<string, readonly string[]>> = { ...RIGHTS, permission: ['codename'] }

/** Names of the fields that the user may set through a form. */
export function writableFields(
  form: FormView,
  action: 'create' | 'update',
  model: SiteModel,
  isSuperuser: boolean,
): readonly string[] {
  const denied = isSuperuser ? [] : (PRIVILEGED[model.key] ?? [])
  return settableFields(form, action).filter((name) => fieldOf(model, name)?.readonly === false && !denied.includes(name))
}

/** A model with the passwords that a form sets: the site does not name secret fields. */
export function formModel(model: SiteModel, form: FormView): SiteModel {
  const isSecret = ({ name, field_type: type, widget }: FieldView) =>
    fieldOf(model, name) === undefined && (type === 'password' || widget === 'password')
  const secrets = form.fields.filter(isSecret).map(({ name, title = name, required }): SiteField => {
    const open = { unique: false, readonly: false, sortable: false, operators: [], choices: null, bounds: {}, relation: null }
    return { name, type: 'password', label: title, help_text: null, required, ...open }
  })
  return secrets.length === 0 ? model : { ...model, fields: [...model.fields, ...secrets] }
}

/** The title of a form by its name, without that of its model: `PostQuickEditForm` is `Quick edit`. Undefined for `PostForm`. */
export function formTitle({ name }: FormView, model: SiteModel): string | undefined {
  const own = name.startsWith(model.name) ? name.slice(model.name.length) : name
  return wordsOf(own.replace(/Form$/, '')) || undefined
}

/** The label of a field in a form. */
export const titleOf = (view: FieldView, field: SiteField): string => view.title ?? field.label

/** The label of a field by its name: that of the form, otherwise of the model; the name itself for a field that neither has. */
export function labelIn(form: FormView | undefined, model: SiteModel | undefined, name: string): string {
  const field = model === undefined ? undefined : fieldOf(model, name)
  const view = form?.fields.find((each) => each.name === name)
  return view?.title ?? field?.label ?? name
}
