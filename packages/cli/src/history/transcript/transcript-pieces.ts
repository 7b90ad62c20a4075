import { changedJson } from './changed-json.ts'
import type { Span } from './json-spans.ts'
import { writeJson } from './json-style.ts'
import type { Conversation, SystemPlace, Transcript, TranscriptMessage } from './transcript.ts'

/** A part of a file that is written: text, or a part of the file that was read. */
export type Piece = string | Span

/** A part of the file that was read, and what stands in its place. */
interface Edit extends Span {
  readonly pieces: readonly Piece[]
}

/**
 * Say what a transcript is made of with other messages: as many bytes as possible of the file as it is.
 *
 * Messages that are the very objects that were read have not changed. Throws a `TypeError` where the file has no place for
 * what is new, as a session has none for another message.
 *
 * @param read - Reads a part of the file.
 */
export async function piecesOf(
  transcript: Transcript,
  conversation: Conversation,
  read: (span: Span) => Promise<Uint8Array>,
): Promise<readonly Piece[]> {
  const edits = [...systemEdits(transcript, conversation), ...(await messageEdits(transcript, conversation, read))]
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end, pieces: made } of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push({ start: at, end: start }, ...made)
    at = end
  }
  return joined([...pieces, { start: at, end: transcript.size }])
}

function systemEdits({ layout, style }: Transcript, { system }: Conversation): readonly Edit[] {
  const place: SystemPlace | undefined = layout.kind === 'document' ? layout.system : undefined
  if (system === place?.value) return []
  if (place === undefined) throw new TypeError('This transcript has no place for a system prompt.')
  const { key, span, member, insertAt } = place
  if (system === undefined) return member === undefined ? [] : [{ ...member, pieces: [] }]
  const json = writeJson(system, { ...style, indent: undefined })
  if (span !== undefined) return [{ ...span, pieces: [json] }]
  const isSpread = style.indent !== undefined
  const blank = isSpread || style.isSpaced ? ' ' : ''
  // The list is indented by one level less than its messages.
  const gap = isSpread ? style.eol + style.margin.slice(style.indent.length) : blank
  return [{ start: insertAt, end: insertAt, pieces: [`${JSON.stringify(key)}:${blank}${json},${gap}`] }]
}

async function messageEdits(
  transcript: Transcript,
  { messages: next }: Conversation,
  read: (span: Span) => Promise<Uint8Array>,
): Promise<readonly Edit[]> {
  const { messages, layout, style } = transcript
  const known = new Map(messages.map((message, index) => [message.value, { message, index }]))
  const isInPlace =
    next.length === messages.length && next.every((value, at) => value === messages[at]!.value || !known.has(value))
  if (isInPlace) {
    const edits: Edit[] = []
    for (const [at, { start, end, value }] of messages.entries())
      if (value !== next[at])
        edits.push({ start, end, pieces: [changedJson(await read({ start, end }), value, next[at], style)] })
    return edits
  }
  if (layout.kind === 'session') throw new TypeError('A session has no place for other messages.')
  const [separator, lead, trail, start, end] =
    layout.kind === 'document'
      ? [layout.separator, layout.lead, layout.trail, layout.inside.start, layout.inside.end]
      : [layout.eol, '', layout.endsWithEol ? layout.eol : '', messages[0]!.start, transcript.size]
  const pieces: Piece[] = []
  let before: { readonly message: TranscriptMessage; readonly index: number } | undefined
  for (const [at, value] of next.entries()) {
    const found = known.get(value)
    const isNext = before !== undefined && found?.index === before.index + 1
    if (isNext) pieces.push({ start: before!.message.end, end: found.message.start })
    else pieces.push(at === 0 ? lead : separator)
    pieces.push(found === undefined ? writeJson(value, style) : { start: found.message.start, end: found.message.end })
    before = found
  }
  return [{ start, end, pieces: next.length === 0 ? [] : [...pieces, trail] }]
}

/** Make one piece of parts of the file that follow one another. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (piece === '' || (typeof piece === 'object' && piece.start === piece.end)) continue
    if (typeof last === 'object' && typeof piece === 'object' && last.end === piece.start)
      all.splice(-1, 1, { start: last.start, end: piece.end })
    else all.push(piece)
  }
  return all
}
