import { Window } from 'happy-dom'
import { act, createElement, type ReactElement } from 'react'
import type { Root } from 'react-dom/client'

const window = new Window({ url: 'http://localhost/' })
const globals = {
  window,
  document: window.document,
  navigator: window.navigator,
  location: window.location,
  history: window.history,
  localStorage: window.localStorage,
  Node: window.Node,
  Element: window.Element,
  HTMLElement: window.HTMLElement,
  IS_REACT_ACT_ENVIRONMENT: true,
}
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
// Loaded after the globals are set, since it looks for a document.
const { createRoot } = await import('react-dom/client')

/** Options of a client of TanStack Query: results are kept without a timer, which would keep the process for minutes. */
export const KEPT = {
  queries: { gcTime: Number.POSITIVE_INFINITY, retry: false },
  mutations: { gcTime: Number.POSITIVE_INFINITY },
}

/** A rendered page. */
export interface Screen {
  /** The text of the page. */
  text(): string
  /** Resolves when the condition is true; checks it after each turn of the event loop. */
  until(isSo: () => boolean): Promise<void>
  /** Writes into the input of that name. */
  type(name: string, value: string): Promise<void>
  /** Submits the form. */
  submit(): Promise<void>
  close(): Promise<void>
}

/** Renders an element. */
export async function show(element: ReactElement): Promise<Screen> {
  const container = window.document.createElement('div')
  window.document.body.appendChild(container)
  const root: Root = createRoot(container as unknown as Element)
  await act(async () => root.render(element))
  return {
    text: () => container.textContent,
    async until(isSo) {
      while (!isSo()) await act(() => new Promise((resolve) => setImmediate(resolve)))
    },
    async type(name, value) {
      const input = container.querySelector(`[name="${name}"]`) as unknown as {
        value: string
        dispatchEvent(event: unknown): void
      }
      await act(async () => {
        // React overrides `value` with an own property of the input; the setter of the prototype acts like a user's typing.
        Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')?.set?.call(input, value)
        input.dispatchEvent(new window.Event('input', { bubbles: true }))
      })
    },
    async submit() {
      await act(async () => {
        container.querySelector('form')?.dispatchEvent(new window.Event('submit', { bubbles: true, cancelable: true }))
      })
    },
    async close() {
      await act(async () => root.unmount())
      container.remove()
    },
  }
}

/** Renders a hook until its result satisfies a condition, and returns the result. */
export async function hookResult<T>(
  within: (children: ReactElement) => ReactElement,
  use: () => T,
  isEnough: (result: T) => boolean,
): Promise<T> {
  let result: T | undefined
  const Probe = () => {
    result = use()
    return null
  }
  const screen = await show(within(createElement(Probe)))
  await screen.until(() => result !== undefined && isEnough(result))
  await screen.close()
  return result as T
}
