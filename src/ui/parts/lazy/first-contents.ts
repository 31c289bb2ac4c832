const { promise, resolve } = Promise.withResolvers<void>()

/** Resolves when the page shows its first contents. Code and icons that they do not need are loaded after that. */
export const firstContents: Promise<void> = promise

/** Reports that the first contents are there. Further calls do nothing. */
export const markFirstContents: () => void = resolve
