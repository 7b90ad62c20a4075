import { fileErrorCode } from './file-error.ts'
import type { DirectoryItem, FileSystem } from './file-system.ts'
import { isScopeName } from './paths.ts'

/** A file or directory in the folder of a scope. */
export interface ScopeItem extends DirectoryItem {
  readonly segments: readonly string[]
}

/** Name what is in a folder; nothing where it does not exist, or stops existing meanwhile. */
export async function* listFolder(fileSystem: FileSystem, folder: string): AsyncGenerator<DirectoryItem> {
  try {
    yield* fileSystem.list(folder)
  } catch (error) {
    if (fileErrorCode(error) !== 'ENOENT') throw error
  }
}

/**
 * Go through the folder of a scope, and with `below` those below it: first what is in a folder, then its scopes, then the folder
 * itself as an item of kind `directory` without a name. Symbolic links are not followed.
 */
export async function* walkScopes(
  fileSystem: FileSystem,
  base: string,
  segments: readonly string[],
  below = true,
): AsyncGenerator<ScopeItem> {
  const scopes: string[] = []
  for await (const item of listFolder(fileSystem, [base, ...segments].join('/'))) {
    if (item.kind === 'directory' && isScopeName(item.name)) {
      if (below) scopes.push(item.name)
    } else yield { ...item, segments }
  }
  for (const name of scopes) yield* walkScopes(fileSystem, base, [...segments, name])
  yield { name: '', kind: 'directory', segments }
}
