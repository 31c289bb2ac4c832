import icons from 'lucide-react/dynamicIconImports.mjs'
import type { Plugin } from 'vite'

const ALL = 'virtual:icons'
const LETTER = /^virtual:icons\/([a-z])$/

/** An icon module of lucide-react. */
interface IconModule {
  readonly __iconData: { readonly node: readonly (readonly [string, Readonly<Record<string, string>>])[] }
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

async function iconsOf(letter: string): Promise<Record<string, IconModule['__iconData']['node']>> {
  const names = Object.keys(icons).filter((name) => name.startsWith(letter))
  const nodes = await Promise.all(
    names.map(
      async (name) => [name, ((await icons[name as keyof typeof icons]()) as unknown as IconModule).__iconData.node] as const,
    ),
  )
  return Object.fromEntries(nodes)
}
