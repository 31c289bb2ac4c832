import chunks from 'virtual:icons'
import { File, Icon, type IconNode, Zap } from 'lucide-react'
import { memo, useSyncExternalStore } from 'react'
import { firstContents } from './lazy-part.ts'

/** The parts of icons by name. */
type Icons = Readonly<Record<string, IconNode>>

/** Icons of the first letters that were asked for. They are loaded after the first contents of the page, and are there all at once. */
class ModelIcons {
  readonly #letters = new Map<string, Icons>()
  readonly #wanted = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #isLoading = false

  /** The icon of a name. Undefined until it is loaded, and for an unknown name. */
  readonly get = (name: string): IconNode | undefined => {
    const letter = name.charAt(0)
    const icons = this.#letters.get(letter)
    if (icons === undefined && chunks[letter] !== undefined) this.#want(letter)
    return icons?.[name]
  }

  /** Registers a listener for loaded icons; returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #want(letter: string): void {
    this.#wanted.add(letter)
    if (this.#isLoading) return
    this.#isLoading = true
    void firstContents.then(() => this.#load())
  }

  async #load(): Promise<void> {
    while (this.#wanted.size > 0) {
      const letters = [...this.#wanted]
      const loaded = await Promise.all(letters.map(loadLetter))
      for (const [index, letter] of letters.entries()) {
        this.#letters.set(letter, loaded[index] ?? {})
        this.#wanted.delete(letter)
      }
      for (const listener of this.#listeners) listener()
    }
    this.#isLoading = false
  }
}

/** Icons that cannot be loaded stay sheets of paper. */
const loadLetter = async (letter: string): Promise<Icons> => (await chunks[letter]?.().catch(() => undefined))?.default ?? {}

/** The icons of this page. */
const modelIcons = new ModelIcons()

/** The lucide icon of a model. Until it is loaded, and for an unknown name, a sheet of paper. */
export const ModelIcon = memo(function ModelIcon({ name }: { readonly name: string | null }) {
  const node = useSyncExternalStore(modelIcons.subscribe, () => (name === null ? undefined : modelIcons.get(name)))
  if (node === undefined) return <File size={16} aria-hidden />
  const iconNode = node.map(([tag, attributes], index) => [tag, { ...attributes, key: String(index) }] satisfies IconNode[number])
  return <Icon iconNode={iconNode} size={16} aria-hidden />
})

/** The lucide icon of an action of the project; a flash for one without. */
export const ActionIcon = ({ name }: { readonly name: string | null }) =>
  name === null ? <Zap size={16} aria-hidden /> : <ModelIcon name={name} />
