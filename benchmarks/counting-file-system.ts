import type { FileSystem } from '@spillway/file'
import type { BackendUse } from './retrieval/subjects/subject.ts'

/** Wrap a file system to count its calls, including calls of opened files, and the bytes that they return. */
export function countingFileSystem(fileSystem: FileSystem): {
  readonly fileSystem: FileSystem
  readonly use: () => BackendUse
} {
  const use = { calls: 0, bytes: 0 }
  return { fileSystem: counted(fileSystem, use), use: () => ({ ...use }) }
}

function counted<T extends object>(target: T, use: { calls: number; bytes: number }): T {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...input: readonly unknown[]): unknown => {
        use.calls++
        const result: unknown = Reflect.apply(member, target, input)
        return result instanceof Promise ? result.then((value: unknown) => countValue(value, use)) : result
      }
    },
  })
}

function countValue(value: unknown, use: { calls: number; bytes: number }): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) {
    use.bytes += value.byteLength
    return value
  }
  if ('content' in value && value.content instanceof Uint8Array) {
    use.bytes += value.content.byteLength
    return value
  }
  // The reads of an opened file are counted, too.
  return 'close' in value ? counted(value, use) : value
}
