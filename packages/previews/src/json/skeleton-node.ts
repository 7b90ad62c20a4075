import { formatCount, estimateTokens } from '@spillway/text/internal'
import { countOf } from '../layout/gap-marks.ts'
import { tidy } from './show-value.ts'
import type { Shape } from './shape.ts'

/** Longest part of a key that is shown, in UTF-16 units. */
const KEY_UNITS = 160

/** Lines of an array that is worth finding. */
const LONG_ARRAY = 20
/** Fewest keys of an object that is said to be like another one. */
const LEAST_KEYS = 4

/** What is shown of one path: a key, the name of a member of a map, or the items of an array. */
export interface SkeletonNode {
  readonly shape: Shape
  /** As it stands in the preview; empty for items of an array. */
  readonly label: string
  readonly parent: SkeletonNode | undefined
  readonly level: number
  /** In the order in which nodes are listed. */
  index: number
  readonly kids: SkeletonNode[]
  /** Of a map, its first names. */
  readonly names: readonly string[]
  /** The tokens of its key, brackets and counts, without what stands in them. */
  readonly tokens: number
  /** Whether no node above or before it has this key. */
  novel: boolean
  /** The first node with the same keys, where there are some. */
  twin: SkeletonNode | undefined
}

/** The nodes of a document, level by level; the first is the root. */
export function skeletonNodes(root: Shape): SkeletonNode[] {
  const first = makeNode(root, '', undefined, 0)
  const nodes = [first]
  const known = new Set<string>()
  const firsts = new Map<string, SkeletonNode>()
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!
    node.index = index
    const { shape, level } = node
    node.novel = node.label !== '' && !known.has(shape.key)
    known.add(shape.key)
    const add = (kid: Shape, label: string): void => {
      const made = makeNode(kid, label, node, level + 1)
      node.kids.push(made)
      nodes.push(made)
    }
    if (shape.item !== undefined) add(shape.item, '')
    for (const field of shape.fields?.values() ?? [])
      add(field, showKey(field.key) + (field.seen < shape.objects ? '?' : ''))
    if (shape.others !== undefined) add(shape.others, '*')
    if (shape.fields === undefined || shape.fields.size < LEAST_KEYS) continue
    const keys = [...shape.fields.keys()].toSorted().join('\n')
    node.twin = firsts.get(keys)
    if (node.twin === undefined) firsts.set(keys, node)
  }
  return nodes
}

function makeNode(shape: Shape, label: string, parent: SkeletonNode | undefined, level: number): SkeletonNode {
  const names = shape.names === undefined ? [] : [...shape.names]
  const counts = [shape.objects > 0 ? keyCount(shape) : '', shape.arrays > 0 ? itemCount(shape) : ''].join('')
  const brackets = (shape.objects > 0 ? 2 : 0) + (shape.arrays > 0 ? 3 : 0)
  const tokens = estimateTokens(label) + (label === '' ? 0 : 1) + brackets + estimateTokens(counts)
  return { shape, label, parent, level, index: 0, kids: [], names, tokens, novel: false, twin: undefined }
}

/** Says how many items arrays have, `0-12 items`, and of one long array where it begins. */
export function itemCount(shape: Shape): string {
  const { leastItems: least, mostItems: most, startLine, endLine } = shape
  if (most === 0) return ''
  if (least < most) return `${formatCount(least)}-${formatCount(most)} items`
  const place = shape.arrays === 1 && endLine - startLine >= LONG_ARRAY ? ` from line ${startLine}` : ''
  return countOf(most, 'item') + place
}

/** Says how many keys a map has. */
export function keyCount(shape: Shape): string {
  if (shape.others === undefined) return ''
  const { leastKeys: least, mostKeys: most } = shape
  return least === most ? `${formatCount(most)} keys` : `${formatCount(least)}-${formatCount(most)} keys`
}

/** A key without quotes where it is a name, else with them. */
export function showKey(key: string): string {
  if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) && key.length <= KEY_UNITS) return key
  return key.length <= KEY_UNITS ? `"${tidy(key)}"` : `"${tidy(key.slice(0, KEY_UNITS))}…"`
}
