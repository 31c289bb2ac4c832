import { File, Icon, type IconNode } from 'lucide-react'
import { memo, useSyncExternalStore } from 'react'
import { modelIcons } from './model-icons.ts'

/** The lucide icon of a model. Until it is loaded, and for an unknown name, a sheet of paper. */
export const ModelIcon = memo(function ModelIcon({ name }: { readonly name: string | null }) {
  const node = useSyncExternalStore(modelIcons.subscribe, () => (name === null ? undefined : modelIcons.get(name)))
  if (node === undefined) return <File size={16} aria-hidden />
  const iconNode = node.map(([tag, attributes], index) => [tag, { ...attributes, key: String(index) }] satisfies IconNode[number])
  return <Icon iconNode={iconNode} size={16} aria-hidden />
})
