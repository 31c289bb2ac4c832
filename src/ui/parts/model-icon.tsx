import icons from 'virtual:icons'
import { File, Icon, type IconNode } from 'lucide-react'
import { Suspense, use } from 'react'

/** Promises of the icons of each first letter that was asked for. */
const letters = new Map<string, Promise<Readonly<Record<string, IconNode>>>>()

function iconsOf(letter: string): Promise<Readonly<Record<string, IconNode>>> {
  const loaded = letters.get(letter) ?? icons[letter]?.().then(({ default: nodes }) => nodes) ?? Promise.resolve({})
  letters.set(letter, loaded)
  return loaded
}

/** The lucide icon of a model. While it is loaded, and for an unknown name, a sheet of paper. */
export function ModelIcon({ name }: { readonly name: string | null }) {
  const sheet = <File size={16} aria-hidden />
  if (name === null) return sheet
  return (
    <Suspense fallback={sheet}>
      <NamedIcon name={name} />
    </Suspense>
  )
}

function NamedIcon({ name }: { readonly name: string }) {
  const node = use(iconsOf(name.charAt(0)))[name]
  if (node === undefined) return <File size={16} aria-hidden />
  const iconNode = node.map(([tag, attributes], index) => [tag, { ...attributes, key: String(index) }] satisfies IconNode[number])
  return <Icon iconNode={iconNode} size={16} aria-hidden />
}
