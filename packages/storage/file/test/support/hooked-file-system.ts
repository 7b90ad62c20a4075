import type { FileStep, FileSystem } from '../../src/index.ts'
import { takeSteps } from './take-steps.ts'

/**
 * Wrap a file system so that every operation first waits for `before`, which gets the operation's name. Batched steps
 * run as single operations.
 */
export function hookedFileSystem(inner: FileSystem, before: (operation: string) => Promise<void>): FileSystem {
  return new Proxy(inner, {
    get(target, name, hooked: FileSystem) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'runSteps') return async (steps: readonly FileStep[]) => takeSteps(hooked, steps)
      if (name === 'list')
        return async function* (path: string) {
          await before('list')
          yield* target.list(path)
        }
      return async (...parameters: unknown[]): Promise<unknown> => {
        await before(String(name))
        return Reflect.apply(value, target, parameters)
      }
    },
  })
}

/** Wrap a file system so that no operation runs after the given number of operations, as in a killed process. */
export function killedAfter(inner: FileSystem, operations: number): { fileSystem: FileSystem; killed: Promise<void> } {
  let left = operations
  let kill = (): void => {}
  const killed = new Promise<void>((resolve) => (kill = resolve))
  const fileSystem = hookedFileSystem(inner, async () => {
    left -= 1
    if (left >= 0) return
    kill()
    await new Promise(() => {})
  })
  return { fileSystem, killed }
}
