import { readdir } from 'node:fs/promises'

/**
 * List the files below a directory as sorted relative paths with `/`. A missing directory has no files. The empty mark
 * file of a storage is omitted.
 */
export async function listFiles(directory: string): Promise<string[]> {
  const items = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  })
  return items
    .filter((item) => !item.isDirectory() && !item.parentPath.replaceAll('\\', '/').endsWith('.metadata/.root'))
    .map((item) => `${item.parentPath}/${item.name}`.slice(directory.length + 1).replaceAll('\\', '/'))
    .sort()
}
