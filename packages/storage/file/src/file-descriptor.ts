import { close, fstat, open, read, type Stats } from 'node:fs'
import { promisify } from 'node:util'

/** Open a file by its number alone, which costs half of what a `FileHandle` does. Whoever opens it must close it. */
export const openDescriptor: (path: string, flags: number) => Promise<number> = promisify(open)

/** Describe an open file. */
export const statDescriptor: (descriptor: number) => Promise<Stats> = promisify(fstat)

/** Read some bytes from an offset on; fewer than asked for, and 0 at the end. */
export async function readDescriptor(descriptor: number, into: Uint8Array, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(descriptor, into, 0, into.length, offset, (error, bytesRead) => (error ? reject(error) : resolve(bytesRead)))
  })
}

/** Close a file that was read, without waiting for it: nothing of it can be lost any more. */
export function closeDescriptor(descriptor: number): void {
  close(descriptor, () => undefined)
}
