import type { JsonLayout } from '@spillway/text/internal/json'
import { literalExpressions, type Segment, parseJsonPath, TextExpressions } from '@spillway/text/internal/json-path'
import type { ContentSource } from '../../content/content-source.ts'
import { abridge, quote } from '../show-hits.ts'
import { RetrievalError } from '../retrieval-tool.ts'
import { pathWithin, readShape } from './json-shape.ts'
import type { WorkPace } from './work-pace.ts'

/** Bytes that are looked at for an example. */
const EXAMPLE_BYTES = 262_144

/** A path, as it was written or as it was plainly meant. */
export interface ReadPath {
  readonly text: string
  readonly segments: readonly Segment[]
}

/**
 * Read the path of a call; one that only lacks its `$` is completed. Throws `invalid-json-path`, with the place of the fault
 * and a path that works for this content.
 */
export async function readJsonPath(
  path: string,
  source: Pick<ContentSource, 'reference' | 'blocks' | 'size'>,
  layout: JsonLayout,
  pace: WorkPace,
): Promise<ReadPath> {
  const text = path.trim()
  const read = await parseChecked(text)
  if (!('problem' in read)) return { text, segments: read.segments }
  const completed = completePath(text)
  const again = completed === undefined ? read : await parseChecked(completed)
  if (completed !== undefined && !('problem' in again)) return { text: completed, segments: again.segments }
  const { message, position } = read.problem
  const place =
    position >= text.length ? 'at its end' : `at ${quote(text.slice(position), 20)}, character ${position + 1}`
  throw new RetrievalError(
    'invalid-json-path',
    `${quote(text, 200)} is no JSONPath (RFC 9535): ${abridge(message, 200)}, ${place}. ` +
      `A filter is written $.items[?@.size > 10 && @.name == 'a']. A path that works here:`,
    { call: { reference: source.reference, json_path: await examplePath(source, layout, pace) } },
  )
}

/** Read a path, and refuse an expression in it that would only match nothing. */
async function parseChecked(text: string): ReturnType<typeof parseJsonPath> {
  const read = await parseJsonPath(text)
  if ('problem' in read) return read
  const expressions = new TextExpressions()
  const unknown = literalExpressions(read.segments).find((pattern) => expressions.get(pattern, true) === undefined)
  if (unknown === undefined) return read
  const message = `${quote(unknown)} is no regular expression (RFC 9485), or too large`
  return { problem: { message, position: Math.max(0, text.search(/\b(?:match|search)\(/)) } }
}

function completePath(text: string): string | undefined {
  if (text.startsWith('$') || text === '') return undefined
  return /^[.[]/.test(text) ? `$${text}` : `$.${text}`
}

/** Write a path that selects something of a content. */
export async function examplePath(
  source: Pick<ContentSource, 'blocks' | 'size'>,
  { start, form }: JsonLayout,
  pace: WorkPace,
): Promise<string> {
  const end = Math.min(source.size, start + EXAMPLE_BYTES)
  const shape = await readShape(source, { start, end, form }, pace)
  return shape === undefined ? '$' : pathWithin('$', shape)
}
