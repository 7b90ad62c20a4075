import { countOf, yieldWhenDue } from '@spillway/text/internal'
import { CLOSER, CODE, type CodeLines } from './code-lines.ts'

/** Lists of a YAML text, by the index of a line. */
export interface YamlLists {
  /** Numbers of items of long lists, for example `24 items`. */
  readonly sizes: ReadonlyMap<number, string>
  /** Lines that differ from the same line of most other items. */
  readonly unlike: ReadonlyMap<number, UnlikeLine>
}

interface UnlikeLine {
  /** Index of the line that says where this line belongs. */
  place: number | undefined
  /** Number of this line among the lines with the same difference, from 1. */
  nth: number
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
/** Columns from this one on are equal, so that the depth is limited. */
const MOST_COLUMNS = 128
/** Number of lines that are examined in about a millisecond. */
const LINES_OF_A_PIECE = 2_048

interface Node {
  readonly index: number
  /** Column of the key. The mark of a list item is half a column deeper than a key at the same column. */
  readonly column: number
  readonly parent: Node | undefined
  children: number
  /** Number of children that are items of a list or have children. */
  items: number
  /** The key that names the list item or document. */
  name?: Entry
}

/** All lines with one key at one column. */
interface Form {
  count: number
  readonly values: Map<string, number>
}

interface Entry {
  readonly node: Node
  readonly form: Form
  readonly value: string
}

/** Finds long lists, and lines that are unlike the same line of other items, in one pass. */
export async function yamlLists({ source, kinds }: CodeLines): Promise<YamlLists> {
  const forms = new Map<string, Form>()
  const entries = new Map<number, Entry>()
  const sizes = new Map<number, string>()
  let top: Node | undefined = { index: -1, column: -1, parent: undefined, children: 0, items: 0 }

  const open = (index: number, column: number): Node => {
    while (top !== undefined && top.column >= column) close()
    if (top !== undefined) top.children++
    return (top = { index, column, parent: top, children: 0, items: 0 })
  }
  const close = (): void => {
    const node = top!
    const { index, children, items, parent } = node
    if (!isItem(node) && children >= MANY && items * 2 > children) sizes.set(index, countOf(children, 'item'))
    if (parent !== undefined && (isItem(node) || children > 0)) parent.items++
    top = parent
  }

  for (let index = source.from; index < source.to; index++) {
    if (index % LINES_OF_A_PIECE === 0) await yieldWhenDue()
    if (kinds[index] !== CODE && kinds[index] !== CLOSER) continue
    const line = source.line(index)
    if (line.startsWith('---')) open(index, -1)
    if (ITEM.test(line)) open(index, Math.min(MOST_COLUMNS, line.indexOf('-')) + 0.5)
    const [, marks, key, value = ''] = KEY.exec(line) ?? []
    if (marks === undefined || key === undefined) continue
    const node = open(index, Math.min(MOST_COLUMNS, marks.length))
    const id = `${marks.length} ${key}`
    let form = forms.get(id)
    if (form === undefined) forms.set(id, (form = { count: 0, values: new Map() }))
    form.count++
    form.values.set(value, (form.values.get(value) ?? 0) + 1)
    const entry = { node, form, value }
    entries.set(index, entry)
    const item = itemAround(node)
    if (NAMING.test(key) && item !== undefined && !(item.name && item.name.node.column <= node.column))
      item.name = entry
  }
  while (top !== undefined) close()
  return { sizes, unlike: unlikeLines(entries, [...forms.values()]) }
}

/** Whether a node is an item of a list or a document of a stream. */
const isItem = ({ column }: Node): boolean => column < 0 || !Number.isInteger(column)

const itemAround = ({ parent }: Node): Node | undefined =>
  parent === undefined || isItem(parent) ? parent : itemAround(parent)

const isWithin = (node: Node | undefined, outer: Node): boolean =>
  node !== undefined && (node === outer || isWithin(node.parent, outer))

function unlikeLines(entries: ReadonlyMap<number, Entry>, forms: readonly Form[]): Map<number, UnlikeLine> {
  const unlike = new Map<number, UnlikeLine>()
  const most = forms.reduce((count, form) => Math.max(count, form.count), 0)
  const isRareForm = ({ count }: Form): boolean => count * MANY <= most
  const isRareValue = ({ form, value }: Entry): boolean => form.values.get(value)! * MANY <= form.count
  const rare = [...entries.values()].filter(({ form, value }) => value !== '' && isRareForm(form))
  const telling = new Set(rare.length <= entries.size * MOST_UNLIKE ? rare.map(({ form }) => form) : [])
  for (const form of forms) {
    const counts = [...form.values.values()].filter((count) => count * MANY <= form.count)
    const sum = counts.reduce((total, count) => total + count, 0)
    if (sum > 0 && sum <= form.count * MOST_UNLIKE) telling.add(form)
  }
  /** Returns the nearest line that says where a line belongs: an unusual key around the line, or the name of its item. */
  const placeOf = (node: Node): Entry | undefined => {
    for (let { parent } = node; parent !== undefined; { parent } = parent) {
      const around = isItem(parent) ? parent.name : entries.get(parent.index)
      // The name of an item may be below the line, for example below `metadata`.
      if (around === undefined || isWithin(around.node, node)) continue
      if (isRareForm(around.form) || isRareValue(around)) return around
    }
    return undefined
  }
  const add = (entry: Entry, nth: number): void => {
    const known = unlike.get(entry.node.index)
    if (known !== undefined) {
      known.nth = Math.min(known.nth, nth)
      return
    }
    const place = placeOf(entry.node)
    unlike.set(entry.node.index, { place: place?.node.index, nth })
    if (place !== undefined) add(place, nth)
  }
  const seen = new Map<Form, Map<string, number>>()
  for (const entry of entries.values()) {
    const { form, value } = entry
    if (value === '' || !telling.has(form) || !(isRareForm(form) || isRareValue(entry))) continue
    const difference = isRareForm(form) ? '' : value
    const counts = seen.get(form) ?? new Map<string, number>()
    const nth = (counts.get(difference) ?? 0) + 1
    seen.set(form, counts.set(difference, nth))
    add(entry, nth)
  }
  return unlike
}

/** Add the lines that say where the unusual lines belong. Returns all lines in order. */
export function withPlaces(lines: readonly number[], unlike: YamlLists['unlike']): number[] {
  const all = new Set(lines)
  for (const line of lines)
    for (let place = unlike.get(line)?.place; place !== undefined; place = unlike.get(place)?.place) all.add(place)
  return all.size === lines.length ? [...lines] : [...all].toSorted((one, other) => one - other)
}
