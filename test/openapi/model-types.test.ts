import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apiDocument } from '../../src/http/api.ts'
import { describedBy, typesOf, typesOfModels } from '../../src/openapi/typescript.ts'
import { typeCheck } from '../helpers/types/type-check.ts'
import { fixture, projectOf } from './documents.ts'

const USE = `import type { All_Models, Post, User } from './admin.ts'

export const create: User.Forms['UserCreateForm']['create'] = { username: 'ann', email: 'a@example.com', password: 'correct horse' }
// @ts-expect-error the form does not let it be set
export const privileged: User.Forms['UserCreateForm']['create'] = { ...create, is_superuser: true }
// @ts-expect-error it is required
export const incomplete: User.Forms['UserCreateForm']['create'] = { username: 'ann' }
export const update: Post.Forms['PostForm']['update'] = { status: 'archived', rating: null, tags: [1, { id: 2 }] }
// @ts-expect-error the author is set once
export const moved: Post.Forms['PostForm']['update'] = { author_id: 2 }
// @ts-expect-error not one of its choices
export const lost: Post.Update = { status: 'lost' }
export const filters: Post.Filter[] = ['status=draft', 'author__username__icontains=ann', 'rating__isnull=true', 'tags=3']
// @ts-expect-error text is not compared with a list of booleans
export const wrong: Post.Filter = 'rating__isnull=maybe'
// @ts-expect-error misspelt
export const misspelt: Post.Filter = 'titel=x'
export const sort: Post.SortKey = 'published_at'
// @ts-expect-error JSON has no order
export const unsortable: Post.SortKey = 'metadata'
export const names = (post: Post): (string | undefined)[] => [post.title, post.author.username, ...post.tags.map(({ name }) => name)]
// @ts-expect-error a secret is never answered
export const secret = (user: User) => user.password
export const keys: (keyof All_Models)[] = ['post', 'user']
export const list = <K extends keyof All_Models>(key: K, sort: All_Models[K]['sortKey']): All_Models[K]['record'][] => []
list('tag', 'slug')
`

describe('the types of a project', () => {
  test('hold records, inputs, filters and sort keys to its models and forms, under strict', async () => {
    assert.equal(await typeCheck({ 'admin.ts': typesOf(await fixture('blog')), 'use.ts': USE }), '')
  })

  test('are the same each time', async () => {
    assert.equal(typesOf(await fixture('blog')), typesOf(await fixture('blog')))
  })

  test('are valid for any names of models, forms and labels', async () => {
    const project = await projectOf({
      'models/odd.yaml': `
- name: Record
  label: 'All */ of it'
  fields: [{ name: a_b, type: choice, choices: ["it's", 'a"b', "back\\\\slash"], label: "Ends */ here" }]
- { name: Forms, fields: [{ name: class, type: string }] }`,
      'views/odd.yaml': `{ name: "Odd 'form'", view_type: form, model: Record, fields: [{ name: a_b }], creation_fields: [a_b] }`,
    })
    const use = `import type { Forms, Record } from './admin.ts'
export const input: Record.Forms["Odd 'form'"]['create'] = { a_b: "it's" }
export const words: Record['a_b'][] = ['a"b', 'back\\\\slash', null]
export const form: Forms = { id: 1, class: 'x' }
`
    assert.equal(await typeCheck({ 'admin.ts': typesOf(project), 'use.ts': use }), '')
  })

  const FILES = {
    'models/article.yaml':
      'name: Article\nfields:\n  - { name: cover, type: image, required: true }\n  - { name: papers, type: file, multiple: true }\n',
  }

  test('name files as records have them and as requests name them, and clients also take bytes', async () => {
    const project = await projectOf(FILES)
    const use = `import { createClient } from 'admin-folder/client'
import type { All_Models, Article, FileInput, StoredFile } from './admin.ts'
export const names = ({ cover, papers }: Article): string[] => [cover, ...papers].map(({ name }: StoredFile) => name)
export const read: FileInput = { id: 'a', name: 'b.png', alt: null }
export const create: Article.Create = { cover: 'a', papers: [read, 'b'] }
// @ts-expect-error a file is no number
export const wrong: Article.Create = { cover: 1 }
const articles = createClient<All_Models>({ url: '' }).model('article')
export const work = async (bytes: Blob, article: Article) => {
  await articles.create({ cover: bytes, papers: [bytes, 'b', article.cover] })
  await articles.update(1, { papers: article.papers })
  // @ts-expect-error one file
  await articles.create({ cover: [bytes] })
  // @ts-expect-error neither a file nor an id
  await articles.update(1, { papers: [1] })
  return createClient({ url: '' }).files.url(article.cover, { thumbnail: 'preview' })
}
`
    assert.equal(await typeCheck({ 'admin.ts': typesOf(project), 'use.ts': use }), '')
    const described = describedBy(JSON.parse(JSON.stringify(apiDocument(project))))
    assert.equal(typesOfModels(described), typesOf(project))
  })

  test('of the smallest project read like this', async () => {
    const text = typesOf(await fixture('minimal'))
    const note = text.slice(
      text.indexOf('/** A record of Notes. */'),
      text.indexOf('  /** One value of `filters`', text.indexOf('namespace Note')),
    )
    assert.equal(note, NOTE)
  })
})

const NOTE = `/** A record of Notes. */
export interface Note {
  id: number
  title: string
  body: string | null
  pinned: boolean | null
  created_at: string
  updated_at: string
}

export declare namespace Note {
  /** A record within another, as far as the reader may see it. */
  interface Nested {
    id: number
    title?: string
    body?: string | null
    pinned?: boolean | null
    created_at?: string
    updated_at?: string
  }
  /** What may be set when a record is created without a form. */
  interface Create {
    title: string
    body?: string | null
    /** false when it is left out */
    pinned?: boolean | null
  }
  /** What may be changed without a form. */
  interface Update {
    title?: string
    body?: string | null
    pinned?: boolean | null
  }
  /** What may be set and changed under each form, by its \`form_id\`. */
  interface Forms {}
`

for (const name of ['blog', 'minimal'] as const) {
  test(`the types of ${name} from the document of a server equal those of the project`, async () => {
    const project = await fixture(name)
    const document = apiDocument({ ...project, settings: { ...project.settings, base_path: '/backend' } })
    assert.equal(typesOfModels(describedBy(JSON.parse(JSON.stringify(document)))), typesOf(project))
  })
}
