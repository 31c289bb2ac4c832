import { ownFile } from './files.ts'

// When running from source, the TypeScript loader is needed.
const isSource = import.meta.url.endsWith('.ts')

/** A module of this package that a process or a thread of its own runs. */
export interface OwnModule {
  /** Its absolute path. */
  readonly path: string
  /** True if it is TypeScript, which needs the loader `tsx`. */
  readonly isSource: boolean
}

/** Finds a module: the built one, or its source where the program runs from source. @param name its path below `src` without extension */
export const ownModule = (name: string): OwnModule => ({
  path: ownFile(isSource ? `src/${name}.ts` : `dist/${name}.js`),
  isSource,
})
