import type { OpenApiDocument, OperationObject, Reference } from './operation.ts'

type SharedKind = 'parameters' | 'requestBodies' | 'responses'
type Components = OpenApiDocument['components']

/** A parameter, request body or response, and the operations that have an equal one. */
interface Use {
  readonly kind: SharedKind
  readonly name: string
  /** The name where another one has `name`. */
  readonly fullName: string
  readonly value: object
  readonly tags: Set<string>
  readonly replace: ((reference: Reference) => void)[]
}

/**
 * Returns the document with each parameter, request body and response that several operations have in common as a component, and
 * without components that no operation refers to, such as the 429 response where no rate limit is set. The document must be JSON.
 */
export function withComponents(document: OpenApiDocument): OpenApiDocument {
  const plain = JSON.parse(JSON.stringify(document)) as OpenApiDocument
  const operations = Object.values(plain.paths).flatMap((item) => Object.values(item))
  const { parameters, requestBodies, responses } = shareAmong(operations)
  const components = {
    ...plain.components,
    parameters,
    requestBodies,
    responses: { ...plain.components.responses, ...responses },
  }
  return { ...plain, components: usedBy(plain.paths, components as Components) }
}

/** Replaces what several operations have in common by references. */
function shareAmong(operations: readonly OperationObject[]): Record<SharedKind, Record<string, object>> {
  const uses = new Map<string, Use>()
  for (const operation of operations) {
    const tag = operation.tags[0] ?? ''
    // `updatePost`, which is tagged `Post`, is named `update`.
    const own = operation.operationId.replace(tag, '')
    const note = (kind: SharedKind, name: string, holder: object, key: string | number): void => {
      const members = holder as Record<string | number, object>
      const value = members[key] ?? {}
      if ('$ref' in value) return
      const text = `${kind} ${JSON.stringify(value)}`
      const use = uses.get(text) ?? { kind, name, fullName: `${own}.${name}`, value, tags: new Set(), replace: [] }
      uses.set(text, use)
      use.tags.add(tag)
      use.replace.push((reference) => {
        members[key] = reference
      })
    }
    operation.parameters?.forEach((parameter, index) => {
      if ('name' in parameter) note('parameters', parameter.name, operation.parameters ?? [], index)
    })
    if (operation.requestBody !== undefined) note('requestBodies', own, operation, 'requestBody')
    for (const status of Object.keys(operation.responses)) note('responses', own, operation.responses, status)
  }
  const shared: Record<SharedKind, Record<string, object>> = { parameters: {}, requestBodies: {}, responses: {} }
  for (const { kind, name, fullName, value, tags, replace } of uses.values()) {
    if (replace.length === 1) continue
    let free = tags.size === 1 ? `${[...tags]}.${name}` : name in shared[kind] ? fullName : name
    for (let twin = 2; free in shared[kind]; twin++) free = `${fullName}_${twin}`
    shared[kind][free] = value
    for (const put of replace) put({ $ref: `${PREFIX}${kind}/${free}` })
  }
  return shared
}

const PREFIX = '#/components/'

/** The components that the paths refer to, directly or through other components. */
function usedBy(paths: object, components: Components): Components {
  const used = new Set<string>()
  const follow = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(follow)
    if (typeof value !== 'string' || !value.startsWith(PREFIX) || used.has(value)) return
    used.add(value)
    follow(componentAt(components, value))
  }
  follow(paths)
  const { securitySchemes, ...others } = components
  const kept = Object.entries(others).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${PREFIX}${kind}/${name}`))),
  ])
  return { ...Object.fromEntries(kept), securitySchemes } as Components
}

/** The component that a reference names. */
function componentAt(components: object, $ref: string): unknown {
  const [kind = '', name = ''] = $ref.slice(PREFIX.length).split('/')
  return (components as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[kind]?.[name]
}

/** The member of an operation itself where the operation only refers to it. */
export function resolved<T extends object>(components: object, member: T | Reference): T {
  return '$ref' in member && typeof member.$ref === 'string' ? (componentAt(components, member.$ref) as T) : (member as T)
}
