import type { ListedGroup } from './listing-groups.ts'

/** Folders are told apart down to this depth. */
const DEEPEST = 64

/** A folder with those in it. */
export interface FolderNode {
  readonly path: string
  /** The first line that names it or something in it. */
  line: number
  /** What stands in it directly, if it is listed. */
  group: ListedGroup | undefined
  /** Entries in it and below. */
  total: number
  /** Groups in it and below, itself too. */
  groups: number
  readonly children: FolderNode[]
}

/** Arrange groups by their folders. Returns the node above all of them. */
export function folderTree(groups: readonly ListedGroup[]): FolderNode {
  const root = nodeOf('', Infinity)
  const nodes = new Map<string, FolderNode>([['', root]])
  for (const group of groups) {
    const above = [root]
    let node = root
    let depth = 0
    for (let end = group.name.indexOf('/', 1); ; end = group.name.indexOf('/', end + 1)) {
      const isLast = end < 0 || ++depth >= DEEPEST
      const path = isLast ? group.name : group.name.slice(0, end)
      let next = nodes.get(path)
      if (next === undefined) {
        next = nodeOf(path, group.line)
        nodes.set(path, next)
        node.children.push(next)
      }
      if (next !== node) above.push(next)
      node = next
      if (isLast) break
    }
    node.group = group
    for (const folder of above) {
      folder.total += group.count
      folder.groups++
      folder.line = Math.min(folder.line, group.line)
    }
  }
  return root
}

function nodeOf(path: string, line: number): FolderNode {
  return { path, line, group: undefined, total: 0, groups: 0, children: [] }
}
