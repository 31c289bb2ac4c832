import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { whenIdle } from '../../when-idle.ts'
import { firstContents } from './first-contents.ts'

/**
 * A component whose code is loaded after the first contents of the page, or when it is rendered earlier. So a part that is used first
 * while the server cannot be reached is there.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  const loadModule = async () => ({ default: await load() })
  // A failure shows when the part is rendered.
  void firstContents.then(() => whenIdle(() => void load().catch(() => {})))
  return lazy(loadModule)
}
