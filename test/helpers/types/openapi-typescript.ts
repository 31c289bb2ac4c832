import { register } from 'node:module'

// The generator works with the compiler's API of before version 7, which is installed beside it under a name of its own.
const hook = `export const resolve = (specifier, context, next) =>
  next(specifier === 'typescript' ? 'typescript-5' : specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hook)}`)

/** The types of a client, generated from an OpenAPI document. */
export async function clientTypes(document: string): Promise<string> {
  const { default: generate, astToString } = await import('openapi-typescript')
  return astToString(await generate(document))
}
