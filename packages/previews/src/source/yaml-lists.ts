import { countOf, yieldWhenDue } from '@spillway/text/internal'
import { CLOSER, CODE, type CodeLines } from './code-lines.ts'
import type { OutlineSymbol } from './outline.ts'

/** Lists of a YAML text, by the index of a line. */
export interface YamlLists {
  /** Numbers of items of long lists, for example `24 items`. */
  readonly sizes: ReadonlyMap<number, string>
  /** Lines that differ from the same line of most other items. */
  readonly unlike: ReadonlyMap<number, UnlikeLine>
  /** Kinds and names of the documents of a stream, such as the manifests of Kubernetes. */
  readonly documents: readonly OutlineSymbol[]
}

interface UnlikeLine {
  /** Index of the line that says where this line belongs. */
  readonly place: number | undefined
  /** Number of this line among the lines with the same difference, from 1. */
  readonly nth: number
}

/** Matches the marks of list items before a key, the key, and its value. */
const KEY = /^((?: |- )*)([^\s:#-][^\s:]*) ?:(?:\s+(\S.*))?$/
const ITEM = /^ *- /
/** Matches keys whose value names an item. */
const NAMING = /^(?:name|id|title)$/i
/** Smallest number of items of which some can be unlike the others. */
const MANY = 8
/** Largest share of the lines with the same key that can be unlike the other lines. */
const MOST_UNLIKE = 0.25
/** Larger columns count as this column, so that the depth is limited. */
const MOST_COLUMNS = 128
/** Number of lines that are examined in about a millisecond. */
const LINES_OF_A_PIECE = 2_048

/** A key, an item of a list, or a document. */
interface Node {
  readonly index: number
  /** Column of the key. The mark of a list item is half a column deeper than a key at the same column. */
  readonly column: number
  readonly parent: Node | undefined
  /** Column and key (`form`), and the same with the value (`whole`). Empty for items and documents. */
  readonly form: string
  readonly whole: string
  children: number
  /** Number of children that are items of a list or have children. */
  items: number
  /** The key that names the item or document. */
  name?: Node
}

/** Finds long lists, and lines that are unlike the same line of other items. */
export async function yamlLists({ source, kinds }: CodeLines, caller: unknown): Promise<YamlLists> {
  const keys: Node[] = []
  const sizes = new Map<number, string>()
  const manifests: Node[] = []
  let top: Node | undefined
  const close = (column: number): void => {
    while (top !== undefined && top.column >= column) {
      const { index, form, children, items, parent } = top
      if (form !== '' && children >= MANY && items * 2 > children) sizes.set(index, countOf(children, 'item'))
      if (parent !== undefined && (form === '' || children > 0)) parent.items++
      top = parent
    }
  }
  const open = (index: number, column: number, form: string, whole: string): Node => {
    close(column)
    if (top !== undefined) top.children++
    return (top = { index, column, parent: top, form, whole, children: 0, items: 0 })
  }
  open(-1, -1, '', '')
  for (let index = source.from; index < source.to; index++) {
    if (index % LINES_OF_A_PIECE === 0) await yieldWhenDue(caller)
    if (kinds[index] !== CODE && kinds[index] !== CLOSER) continue
    const line = source.line(index)
    if (line.startsWith('---')) open(index, -1, '', '')
    if (ITEM.test(line)) open(index, Math.min(MOST_COLUMNS, line.indexOf('-')) + 0.5, '', '')
    const [, marks, key, value] = KEY.exec(line) ?? []
    if (marks === undefined || key === undefined) continue
    const form = `${marks.length} ${key}`
    const whole = value === undefined ? form : `${form}: ${value}`
    const node = open(index, Math.min(MOST_COLUMNS, marks.length), form, whole)
    keys.push(node)
    if (node.column === 0 && key === 'kind') manifests.push(node)
    let item = node.parent
    while (item !== undefined && item.form !== '') item = item.parent
    if (item !== undefined && NAMING.test(key) && !(item.name && item.name.column <= node.column)) item.name = node
  }
  close(-1)
  const documents = manifests.map(({ index, whole, parent }, nth) => ({
    name: [whole, parent?.name?.whole ?? ''].map((text) => text.replace(/^.*?: /, '')).join(' '),
    kind: 'document',
    line: index + 1,
    endLine: manifests[nth + 1]?.index ?? source.to,
    depth: 0,
  }))
  const all = new Set(keys.filter(({ column }) => column === 0).map(({ parent }) => parent)).size
  const unlike = await unlikeLines(keys, caller)
  return { sizes, unlike, documents: all > 1 && all === manifests.length ? documents : [] }
}

async function unlikeLines(keys: readonly Node[], caller: unknown): Promise<Map<number, UnlikeLine>> {
  const counts = new Map<string, number>()
  let most = 0
  await inTurns(keys, caller, ({ form, whole }) => {
    most = Math.max(most, add(counts, form))
    if (whole !== form) add(counts, whole)
  })
  const isRareKey = ({ form }: Node): boolean => counts.get(form)! * MANY <= most
  const isRare = (key: Node): boolean => isRareKey(key) || counts.get(key.whole)! * MANY <= counts.get(key.form)!
  const rare: Node[] = []
  const sums = new Map<string, number>()
  await inTurns(keys, caller, (key) => {
    if (key.whole === key.form || !isRare(key)) return
    rare.push(key)
    add(sums, isRareKey(key) ? '' : key.form)
  })
  const seen = new Map<string, number>()
  const unlike = new Map<number, UnlikeLine>()
  await inTurns(rare, caller, (key) => {
    const { form, whole } = key
    const isKey = isRareKey(key)
    if (sums.get(isKey ? '' : form)! > (isKey ? keys.length : counts.get(form)!) * MOST_UNLIKE) return
    const nth = add(seen, isKey ? form : whole)
    for (let at: Node | undefined = key; at !== undefined && !unlike.has(at.index);) {
      const place = placeOf(at, isRare)
      unlike.set(at.index, { place: place?.index, nth })
      at = place
    }
  })
  return unlike
}

/** Calls `take` with each key, and yields to the event loop. */
async function inTurns(keys: readonly Node[], caller: unknown, take: (key: Node) => void): Promise<void> {
  for (const [index, key] of keys.entries()) {
    if (index % LINES_OF_A_PIECE === 0) await yieldWhenDue(caller)
    take(key)
  }
}

function add(counts: Map<string, number>, id: string): number {
  const count = (counts.get(id) ?? 0) + 1
  counts.set(id, count)
  return count
}

/** Returns the nearest line that says where a key belongs: an unusual key around it, or the name of its item. */
function placeOf(key: Node, isRare: (key: Node) => boolean): Node | undefined {
  for (let { parent } = key; parent !== undefined; { parent } = parent) {
    const isItem = parent.form === ''
    const around = isItem ? parent.name : parent
    // The name of an item may be below the key, for example below `metadata`.
    if (around !== undefined && !(isItem && isWithin(around, key)) && isRare(around)) return around
  }
  return undefined
}

const isWithin = (node: Node | undefined, outer: Node): boolean =>
  node !== undefined && (node === outer || isWithin(node.parent, outer))

/** Add the lines that say where the unusual lines belong. Returns all lines in order. */
export function withPlaces(lines: readonly number[], unlike: YamlLists['unlike']): readonly number[] {
  if (unlike.size === 0) return lines
  const all = new Set(lines)
  for (const line of lines)
    for (let place = unlike.get(line)?.place; place !== undefined; place = unlike.get(place)?.place) all.add(place)
  return [...all].toSorted((one, other) => one - other)
}
