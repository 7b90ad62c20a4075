import type { JsonLayout } from '@spillway/text/internal/json'
import type { Segment } from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { editDistance } from '../closest-names.ts'
import { oneLine, quote } from '../show-hits.ts'
import type { RetrievalContext } from '../retrieval-tool.ts'
import { describeShape, pathWithin, readShape, type JsonShape } from './json-shape.ts'
import type { ReadPath } from './read-json-path.ts'
import { selectJson, type SelectedValue } from './select-json.ts'
import { WorkTimeout, type WorkPace } from './work-pace.ts'

/** Letters of a key that may be wrong, and the longest key that is compared. */
const MAX_WRONG_LETTERS = 2
const MAX_COMPARED_UNITS = 60
/** UTF-16 units of a path that is shown. */
const SHOWN_UNITS = 160

/**
 * Say why a path selects nothing: how far it leads, and what is there instead. No lines where that takes too long to find
 * out.
 */
export async function explainNothing(
  source: ContentSource,
  { segments }: ReadPath,
  options: { readonly layout: JsonLayout; readonly pace: WorkPace },
  context: RetrievalContext,
): Promise<string[]> {
  const { layout, pace } = options
  try {
    let found: SelectedValue = { path: '$', start: layout.start, end: source.size }
    let reached = 0
    for (; reached < segments.length; reached++) {
      const part = segments.slice(0, reached + 1)
      const [value] = (await selectJson(source, part, { layout, skip: 0, keep: 1, enough: 1, pace })).values
      if (value === undefined) break
      found = value
    }
    const isRoot = found.path === '$' && reached === 0
    const shape = await readShape(source, isRoot ? { ...found, form: layout.form } : found, pace)
    const missing = segments[reached]
    if (shape === undefined || missing === undefined) return []
    const notes = [`[${quotePath(found.path)} is ${describeShape(shape)}.${explain(missing, shape)}]`]
    const elsewhere = await findElsewhere(source, missing, options)
    if (elsewhere !== undefined) {
      const call = context.formatCall({ reference: source.reference, json_path: elsewhere })
      return [...notes, `[Elsewhere there is one: ${call}]`]
    }
    const example = pathWithin(found.path, shape)
    const call = context.formatCall({ reference: source.reference, json_path: example })
    return example === found.path ? notes : [...notes, `[For example: ${call}]`]
  } catch (error) {
    if (error instanceof WorkTimeout) return []
    throw error
  }
}

/** Find a key that is missing at one place at another, where the content is not too large for that. */
async function findElsewhere(
  source: ContentSource,
  { descends, selectors, position }: Segment,
  { layout, pace }: { readonly layout: JsonLayout; readonly pace: WorkPace },
): Promise<string | undefined> {
  if (descends || selectors.length !== 1 || selectors[0]?.type !== 'name') return undefined
  const anywhere = [{ descends: true, selectors, position }]
  const found = await selectJson(source, anywhere, { layout, skip: 0, keep: 1, enough: 1, pace })
  const path = found.values[0]?.path
  return path?.endsWith('…') === true ? undefined : path
}

function explain({ descends, selectors }: Segment, shape: JsonShape): string {
  const [selector] = selectors
  if (selector === undefined || selectors.length > 1) return ''
  if (selector.type === 'filter') {
    return descends ? ' Nothing within it passes the filter.' : ' Nothing directly in it passes the filter.'
  }
  if (selector.type !== 'name') return ''
  const name = quote(selector.name.text, MAX_COMPARED_UNITS)
  if (descends) return ` Nothing within it has the key ${name}.`
  if (shape.kind === 'array')
    return ` The items of an array are selected by [0], [*] or a filter, and then .${selector.name.text}.`.slice(
      0,
      SHOWN_UNITS,
    )
  const similar = similarKey(selector.name.text, shape.keys)
  return similar === undefined ? ` It has no key ${name}.` : ` It has no key ${name}, but ${quote(similar)}.`
}

function similarKey(name: string, keys: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_UNITS) return undefined
  const wanted = name.toLowerCase()
  const [best] = keys
    .filter((key) => key.length <= MAX_COMPARED_UNITS)
    .map((key) => ({ key, wrong: editDistance(wanted, key.toLowerCase()) }))
    .filter(({ wrong }) => wrong <= MAX_WRONG_LETTERS && wrong < wanted.length)
    .toSorted((one, other) => one.wrong - other.wrong)
  return best?.key
}

/** Show a path on one line, cut where it is very long. */
export function quotePath(path: string): string {
  const shown = oneLine(path)
  return shown.length > SHOWN_UNITS ? `${shown.slice(0, SHOWN_UNITS).toWellFormed()}…` : shown
}
