import { readdir } from 'node:fs/promises'

/**
 * Name the files below a directory, sorted, relative to it and with `/`; nothing where it does not exist. The empty file
 * that marks the directory of a storage is left out.
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
