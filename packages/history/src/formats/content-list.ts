import { isFields, type Fields } from './check-fields.ts'

/** A piece of content as it is written: the text of a string, or a part of an array. */
export type WrittenPiece = string | Fields

/** How the content of a message or result is put together again. */
export interface ContentListOptions {
  /** What it was: a string, an array, nothing, or in some APIs one part alone. */
  readonly original: unknown
  /** What it is now. A string stands for text that came as a string; a text that is new is one of `fresh`. */
  readonly pieces: readonly WrittenPiece[]
  /** Those of the pieces that are new texts, each as a part. */
  readonly fresh: ReadonlySet<WrittenPiece>
  /** Makes a part of a text. */
  readonly toPart: (text: string) => Fields
  /** Stands between texts that become one. */
  readonly separator: string
  /** Fields that say something about the prompt up to a part, such as where its cached prefix ends. */
  readonly marks: readonly string[]
}

/**
 * Put content together: the very same where nothing of it changed, a string where it was one and all of it is text, an
 * array otherwise.
 *
 * @example
 * ```ts
 * import { writeContentList } from '@spillway/history/format'
 *
 * const toPart = (text: string) => ({ type: 'text', text })
 * const added = toPart('More.')
 * const options = { fresh: new Set([added]), toPart, separator: '\n\n', marks: [] }
 * console.assert(writeContentList({ original: 'Hello', pieces: ['Hello', added], ...options }) === 'Hello\n\nMore.')
 * ```
 */
export function writeContentList({ original, pieces, fresh, toPart, separator, marks }: ContentListOptions): unknown {
  if (isSame(original, pieces)) return original
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'string') return only
  if (pieces.length === 1 && isFields(original)) return only
  const isString = !Array.isArray(original) && pieces.every((piece) => typeof piece === 'string' || fresh.has(piece))
  if (isString) return pieces.map((piece) => (typeof piece === 'string' ? piece : piece['text'])).join(separator)
  const list: readonly unknown[] = Array.isArray(original) ? original : []
  // A list may have texts that are no parts.
  const texts = new Set(list.filter((part) => typeof part === 'string'))
  const parts = pieces.map((piece) => (typeof piece === 'string' && !texts.has(piece) ? toPart(piece) : piece))
  return keepMarks(list, parts, fresh, marks)
}

function isSame(original: unknown, pieces: readonly WrittenPiece[]): boolean {
  if (Array.isArray(original))
    return original.length === pieces.length && original.every((part, at) => part === pieces[at])
  return pieces.length === 0 ? original == null : pieces.length === 1 && pieces[0] === original
}

/** What was said of a text that is gone holds for the new text in its place. */
function keepMarks(
  original: readonly unknown[],
  parts: readonly WrittenPiece[],
  fresh: ReadonlySet<WrittenPiece>,
  marks: readonly string[],
): readonly WrittenPiece[] {
  const at = parts.findIndex((part) => fresh.has(part))
  const text = parts[at]
  if (!isFields(text)) return parts
  const kept: Record<string, unknown> = {}
  for (const mark of marks) {
    const isMarked = (part: unknown): part is Fields => isFields(part) && part[mark] != null
    const last = original.findLast(isMarked)
    if (last !== undefined && !parts.some(isMarked)) kept[mark] = last[mark]
  }
  return Object.keys(kept).length === 0 ? parts : parts.with(at, { ...text, ...kept })
}
