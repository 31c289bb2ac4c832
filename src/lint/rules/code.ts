import { formerSource } from '../field-options.ts'
import { ALLOW_LISTS, allowListNames, changeExample, type Example, type LintRule } from '../rule.ts'

const ORDER = 'name: Order\nfields:\n  - { name: price, type: number }\n  - { name: total, type: number }\n'

const define = (model: string, hooks: string): string =>
  `import { defineHooks } from 'admin-folder'\nexport default »defineHooks«('${model}', ${hooks})\n`

const defineJob = (members: string): string =>
  `import { defineJob } from 'admin-folder'\nexport default »defineJob«({ run() {}, ${members} })\n`

const unmarked = (text: string): string => text.replace(/[»«]/g, '')

const hooksExample = (text: string): Example => ({ files: { 'models/order.yaml': ORDER, 'hooks/order.js': text } })

const TOTAL = '{ compute: { total: ({ price }) => price } }'

const VALID = [
  hooksExample(unmarked(define('order', TOTAL))),
  hooksExample(
    unmarked(define('order', "{ validate: ({ record }) => (record.price < 0 ? { price: 'Not below 0' } : undefined) }")),
  ),
]

/** An example with a form of a model whose total is computed. */
const formOfOrders = (rest: string): Example => ({
  files: {
    'models/order.yaml': ORDER,
    'hooks/order.js': unmarked(define('order', TOTAL)),
    'views/order.yaml': `name: OrderForm\nview_type: form\nmodel: Order\nfields: [{ name: price }, { name: total }]\n${rest}`,
  },
})
const VALID_JOBS: readonly Example[] = [
  { files: { 'jobs/a.js': unmarked(defineJob("name: 'receipt', schedule: '0 6 * * MON'")) } },
  { files: { 'jobs/a.js': unmarked(defineJob("name: 'receipt'")), 'jobs/b.js': unmarked(defineJob("name: 'reminder'")) } },
]

const actionExample = (text: string): Example => ({ files: { 'actions/publish.yaml': text } })

/** An example with an action `publish` of Post, and a view of Post. */
const viewExample = (rest: string): Example => ({
  files: {
    'actions/publish.yaml': 'model: Post\nname: publish\nset: { status: published }\n',
    'views/post.yaml': `name: PostList\nview_type: list\nmodel: Post\nfields: [{ name: title, title: Title }]\n${rest}`,
  },
})

const PUBLISH = '- { model: Post, name: publish, set: { status: published } }\n'
const ARCHIVE = '- { model: Post, name: archive, set: { status: draft } }\n'

/** Rules for the code of the project. */
export const CODE_RULES = {
  'code/invalid': {
    severity: 'error',
    summary: 'A file of code does not define what its folder holds',
    details: `A file in hooks/ exports by default what defineHooks returns. Its members are functions with the names of hooks, and compute, an
object of functions by field. An action names its model, a name in lower case, and the values that it sets: as a request would send them,
what a default of the field may be, such as now, or { input: name }. Correct the name or the value that the message names.`,
    invalid: [
      hooksExample(define('order', '{ beforeSave: () => {} }')),
      hooksExample(define('order', '{ validate: true }')),
      actionExample('model: Post\nname: »Publish«\nset: { status: published }\n'),
      actionExample('model: Post\nname: publish\nset: { status: »publised« }\n'),
    ],
    valid: [...VALID, actionExample('model: Post\nname: publish\nset: { status: published, published_at: now }\n')],
  },
  'code/unknown-model': {
    severity: 'error',
    summary: 'Code names a model that does not exist',
    details: `The first argument of defineHooks is a model, or its name in lower case, as in the paths of the API. An action names its model by the class
name, such as Post, as views do. Correct the name, or add the model. Hooks of users, groups and permissions are possible, too.`,
    invalid: [
      hooksExample(define('oder', TOTAL)),
      hooksExample(define('orders', '{ beforeDelete: () => {} }')),
      actionExample('model: »Pots«\nname: publish\nset: { status: published }\n'),
    ],
    valid: [...VALID, actionExample('model: Post\nname: publish\nset: { status: published }\n')],
  },
  'code/unknown-field': {
    severity: 'error',
    summary: 'Code sets a field that does not exist, or that it cannot set',
    details: `compute names fields of the model of its file. It cannot set the id, timestamps and secret fields, and each field is computed by
one file only. set of an action names fields of its model, and { input: name } a field of its input.`,
    invalid: [
      hooksExample(define('order', '{ compute: { sum: ({ price }) => price } }')),
      hooksExample(define('order', '{ compute: { id: () => 1 } }')),
      actionExample('model: Post\nname: publish\nset: { »staus«: published }\n'),
      actionExample('model: Post\nname: rate\ninput: [{ name: stars, type: number }]\nset: { rating: »{ input: star }« }\n'),
    ],
    valid: [
      ...VALID,
      actionExample('model: Post\nname: rate\ninput: [{ name: stars, type: number }]\nset: { rating: { input: stars } }\n'),
    ],
  },
  'code/action-unknown': {
    severity: 'error',
    summary: 'A view names an action that its model does not have',
    details: `actions of a view lists the actions that it offers, in this order. Without it the view offers all actions of the model, with an empty list
none. Use the suggested name, or define the action in actions/.`,
    invalid: [viewExample('actions: [»publsh«]\n'), viewExample('actions: [publish, »delete«]\n')],
    valid: [viewExample('actions: [publish]\n'), viewExample('actions: []\n')],
  },
  'code/action-condition': {
    severity: 'error',
    summary: 'The condition of an action is invalid, or cannot be a filter',
    details: `when says for which records an action is possible. It is compiled to a filter, as the conditions of access: it compares fields of self, or of
a record that self refers to, with values that do not depend on self.`,
    invalid: [
      actionExample('model: Post\nname: publish\nwhen: »self.staus == "draft"«\nset: { status: published }\n'),
      actionExample('model: Post\nname: publish\nwhen: »self.title == self.body«\nset: { status: published }\n'),
    ],
    valid: [
      actionExample('model: Post\nname: publish\nwhen: self.status == "draft"\nset: { status: published }\n'),
      actionExample('model: Post\nname: publish\nwhen: self.author_id == user.id\nset: { status: published }\n'),
    ],
  },
  'code/name-taken': {
    severity: 'error',
    summary: 'Two actions of a model or two jobs have one name, or an action the name of a permission of every model',
    details: `Each action has a permission <name>_<model>, beside view_, add_, change_ and delete_<model>. Jobs wait under
their names. Choose another name, or remove one of the two.`,
    invalid: [
      actionExample('model: Post\nname: »delete«\nset: { status: draft }\n'),
      actionExample(
        '- { model: Post, name: publish, set: { status: published } }\n- { model: Post, name: »publish«, set: { views: 0 } }\n',
      ),
      { files: { 'jobs/a.js': unmarked(defineJob("name: 'receipt'")), 'jobs/b.js': defineJob("name: 'receipt'") } },
    ],
    valid: [
      actionExample('model: Post\nname: unpublish\nset: { status: draft }\n'),
      actionExample(
        '- { model: Post, name: rename, set: { title: Untitled } }\n- { model: Tag, name: rename, set: { name: untitled } }\n',
      ),
      ...VALID_JOBS,
    ],
  },
  'code/computed-field-in-form': {
    severity: 'error',
    summary: 'An allow-list names a field that hooks compute',
    details: `Hooks compute the field at each write, so requests that set it are rejected with “… is computed”. Forms show the field read-only. \`--fix\`
removes it from the allow-list, which changes nothing for clients.`,
    invalid: [
      formOfOrders('creation_fields: [price, »total«]\n'),
      formOfOrders('creation_fields: [price]\nallowed_update_fields:\n  - price\n  - »total«\n'),
    ],
    valid: [formOfOrders('creation_fields: [price]\n'), formOfOrders('allowed_update_fields: [price]\n')],
    view({ form, source, fieldOf }, report) {
      for (const list of form === undefined ? [] : ALLOW_LISTS) {
        for (const [name, path] of form === undefined ? [] : allowListNames(form, list)) {
          if (fieldOf(name)?.computed !== true) continue
          report(source, path, `'${name}' is computed by hooks; remove it from ${list}`, { fix: { kind: 'remove', path } })
        }
      }
    },
  },
  'code/schedule-never': {
    severity: 'error',
    summary: 'The schedule of a job never comes',
    details: 'The pattern names a day that no month of the pattern has, such as 30 February. Correct the day or the month.',
    invalid: [
      { files: { 'jobs/a.js': defineJob("name: 'receipt', schedule: '0 0 30 2 *'") } },
      { files: { 'jobs/a.js': defineJob("name: 'receipt', schedule: '0 0 31 4,6 *', timezone: 'Europe/Berlin'") } },
    ],
    valid: VALID_JOBS,
  },
  'contract/action': {
    severity: 'error',
    summary: 'An action was removed (breaking) or added',
    details: `Checked only with --against. A client that asks for a removed or renamed action gets 404, and roles cannot have its permission any more. Keep the
action until no client asks for it.`,
    invalid: [
      changeExample('actions/publish.yaml', `${PUBLISH}${ARCHIVE}`, `»-«${PUBLISH.slice(1)}`),
      changeExample('actions/publish.yaml', PUBLISH, `»-«${PUBLISH.slice(1).replace('publish', 'release')}`),
    ],
    valid: [
      changeExample('actions/publish.yaml', `${PUBLISH}${ARCHIVE}`, `${ARCHIVE}${PUBLISH}`),
      changeExample('actions/publish.yaml', PUBLISH, `${PUBLISH}${ARCHIVE}`),
    ],
    compare(before, after, report) {
      for (const { model, name, source } of before.actions) {
        const present = after.registry.get(model.key)
        if (present === undefined || after.registry.ownActionsOf(present).includes(name)) continue
        report(formerSource(source), [], `The action '${name}' of ${model.name} was removed`, { breaking: true })
      }
      for (const { model, name, source } of after.actions) {
        const former = before.registry.get(model.key)
        if (former === undefined || before.registry.ownActionsOf(former).includes(name)) continue
        report(source, ['name'], `The action '${name}' of ${model.name} was added`, { breaking: false })
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
