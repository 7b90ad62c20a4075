import { parseJsonText } from '@spillway/text/internal'
import { COLUMN_LIST_KEYS, type JsonLayout } from '@spillway/text/internal/json'
import type { ContentSource } from '../../content/content-source.ts'
import type { WorkClock } from '../../search/work-clock.ts'
import { readJsonPath } from '../json-path/json-shape.ts'
import { selectJson, type SelectedValue } from '../json-path/select-json.ts'

const KEYS = `[${COLUMN_LIST_KEYS.map((key) => `'${key}'`).join(',')}]`
const MAX_LISTS = 16
const MAX_BYTES = 65_536
const OPENING_BYTES = 256
const LAST_KEY = /(?:\.[^.[\]]+|\['[^'\\]*'\])$/

/** Return lists of names that may be the columns of an array of arrays: strings, or objects with a `name`. */
export async function namesBeside(
  source: ContentSource,
  layout: JsonLayout,
  { path, start }: SelectedValue,
  clock: WorkClock,
): Promise<string[][]> {
  const opening = new TextDecoder().decode(await source.read(start, OPENING_BYTES))
  const [, row] = /^\[\s*(\[[^\]]*\]?)/.exec(opening) ?? []
  if (!LAST_KEY.test(path) || row === undefined) return []
  /** The first row, unless it is long or has arrays. Each further path costs a pass over the content. */
  const first: unknown = parseJsonText(row)
  const lists: string[][] = []
  for (const keys of [KEYS, `.*${KEYS}`, `.*.*${KEYS}`]) {
    const parsed = await readJsonPath(path.replace(LAST_KEY, keys), source, layout, clock)
    const options = { layout, skip: 0, keep: MAX_LISTS, enough: MAX_LISTS, clock }
    for (const { start, end } of (await selectJson(source, parsed, options)).values) {
      if (end - start > MAX_BYTES) continue
      const list: unknown = parseJsonText(new TextDecoder().decode(await source.read(start, end - start)))
      const names: unknown[] = Array.isArray(list) ? list.map((item: { name?: unknown }) => item?.name ?? item) : []
      if (names.every((name) => typeof name === 'string') && new Set(names).size === names.length) lists.push(names)
    }
    if (Array.isArray(first) && lists.some(({ length }) => length === first.length)) break
  }
  return lists
}
