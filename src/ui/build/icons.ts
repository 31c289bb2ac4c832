import icons from 'lucide-react/dynamicIconImports.mjs'
import type { Plugin } from 'vite'

const ALL = 'virtual:icons'
const LETTER = /^virtual:icons\/([a-z])$/

/** The parts of an icon: SVG elements with their attributes. */
type IconNode = readonly (readonly [string, Readonly<Record<string, string>>])[]

/** An icon module of lucide-react. */
interface IconModule {
  readonly __iconData: { readonly node: IconNode }
}

/** Makes `virtual:icons`: a chunk for each first letter, so that a page loads only those of its models. */
export function iconsPlugin(): Plugin {
  return {
    name: 'icons',
    resolveId: (id) => (id === ALL || LETTER.test(id) ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${ALL}`) return lettersModule()
      const [, letter] = LETTER.exec(id.slice(1)) ?? []
      return letter === undefined ? undefined : `export default ${JSON.stringify(await iconsOf(letter))}`
    },
  }
}

function lettersModule(): string {
  const letters = [...new Set(Object.keys(icons).map((name) => name.charAt(0)))].sort()
  const members = letters.map((letter) => `${letter}: () => import('${ALL}/${letter}')`)
  return `export default { ${members.join(', ')} }`
}

/** The icons of a letter without the keys of their parts: random texts, which would be a third of the compressed chunk. */
async function iconsOf(letter: string): Promise<Record<string, IconNode>> {
  const names = Object.keys(icons).filter((name) => name.startsWith(letter))
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await iconNode(name)] as const)))
}

async function iconNode(name: string): Promise<IconNode> {
  const { __iconData } = (await icons[name as keyof typeof icons]()) as unknown as IconModule
  return __iconData.node.map(([tag, { key: _, ...attributes }]) => [tag, attributes] as const)
}
