/** Open file storages in other processes, for soak tests and the conformance suite. */
import { readdir } from 'node:fs/promises'
import type { ManagedStorageOptions, StoredInfo } from '@spillway/core'
import type { Backend } from '@spillway-internal/storage-suite'
import { FileStorage } from '../src/index.ts'
import { listFiles } from './support/list-files.ts'

interface Config {
  readonly directory: string
}

/** Describe the file storage in a directory. */
export function fileBackend(directory: string): Backend<Config> {
  return { module: new URL(import.meta.url), config: { directory } }
}

/** Open one more storage in the directory. */
export function open({ directory }: Config, options: ManagedStorageOptions): FileStorage {
  return new FileStorage({ ...options, directory })
}

/** Find files that belong to no entry. Each entry has two files, and the directory has one `.gitignore`. */
export async function residue({ directory }: Config, entries: readonly StoredInfo[]): Promise<readonly string[]> {
  const problems: string[] = []
  const files = (await listFiles(directory)).filter((path) => !path.startsWith('.metadata/.evicted/'))
  const others = files.filter((path) => !path.endsWith('.metadata.json') && path.startsWith('.metadata/'))
  if (others.length > 0) problems.push(`left over: ${others.slice(0, 5).join(', ')}`)
  if (files.length !== 2 * entries.length + 1) problems.push(`${files.length} files for ${entries.length} entries`)
  const folders = (await readdir(directory, { recursive: true })).filter((path) => path.endsWith('.removal'))
  if (folders.length > 0) problems.push(`left over: ${folders.join(', ')}`)
  return problems
}
