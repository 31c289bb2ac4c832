export function memoryInUse(): Promise<number>
