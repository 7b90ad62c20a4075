import { NulFilter, yieldWhenDue, type CountTokens } from '@spillway/text/internal'
import { textPreviewersFor, SUBJECT_END, SUBJECT_START, type OnFallback } from './choose-previewers.ts'
import { withPurpose } from './detect/tool-intent.ts'
import { LineCounter } from './layout/line-counter.ts'
import { LogReader } from './log/log-previewer.ts'
import { writeTextPreview } from './log/render-text-preview.ts'
import type { TextScan } from './log/text-scan.ts'
import { fallbackOf } from './preview-fallback.ts'
import type {
  Caller,
  PreviewCall,
  Previewer,
  PreviewOptions,
  TextPreviewer,
  TextReader,
  TextSubject,
  WritePreview,
} from './previewer.ts'

/** A text that has been read and can be previewed. */
export interface TextPreview {
  /** Number of lines. A final newline does not start a line. */
  readonly lines: number
  /** Name of the previewer that read the text. Absent if the text was read by lines. */
  readonly kind?: string | undefined
  /** The previewer's `usualTokens`. */
  readonly usualTokens?: number | undefined
  /** Write the preview, which is well-formed Unicode and within the budget. */
  readonly write: (options: PreviewOptions) => Promise<string>
}

export interface TextPreviewing {
  readonly call: PreviewCall & Caller
  readonly contentType: string
  readonly previewers: readonly Previewer[]
  readonly onFallback: OnFallback
}

/** Read a text with the most confident previewer. If it fails or returns `undefined`, the next previewer is tried. */
export async function readText(stored: string, previewing: TextPreviewing): Promise<TextPreview> {
  const { call, contentType, previewers, onFallback } = previewing
  const { caller } = call
  const text = await withoutNuls(stored, caller)
  const start = text.slice(0, SUBJECT_START)
  const subject: TextSubject & Caller = {
    ...call,
    intent: withPurpose(call.intent, start),
    contentType,
    start,
    isWhole: text.length <= SUBJECT_START,
    end: text.slice(-SUBJECT_END),
  }
  const scan = async (): Promise<TextScan> => {
    const reader = new LogReader()
    await pushSlowly(text, reader, caller)
    return reader.scan
  }
  const countLines = async (): Promise<number> => {
    const counter = new LineCounter()
    await pushSlowly(text, counter, caller)
    return counter.lines
  }
  for (const previewer of textPreviewersFor(subject, previewers, onFallback)) {
    if (text.length > (previewer.maxLength ?? Infinity)) continue
    const reading = { countLines, scan, onFallback }
    const preview = await previewBy(previewer, subject, reading, async () => {
      const reader = previewer.read(subject)
      await pushSlowly(text, reader, caller)
      return reader
    })
    if (preview !== undefined) return preview
  }
  return { lines: await countLines(), write: async () => '' }
}

/** Size of a chunk, in UTF-16 units. The slowest previewer reads a chunk in about 3 ms. */
const PIECE_UNITS = 65_536

/** Push a text in chunks, and yield to the event loop between them. */
async function pushSlowly(text: string, reader: Pick<TextReader, 'push'>, caller: unknown): Promise<void> {
  for (let at = 0; at < text.length; at += PIECE_UNITS) {
    reader.push(text.slice(at, at + PIECE_UNITS))
    await yieldWhenDue(caller)
  }
}

async function withoutNuls(text: string, caller: unknown): Promise<string> {
  if (!text.includes('\0')) return text
  const filter = new NulFilter()
  const parts: string[] = []
  await pushSlowly(text, { push: (piece) => void parts.push(filter.push(piece)) }, caller)
  return parts.join('') + filter.finish()
}

interface Reading extends Pick<TextPreviewing, 'onFallback'> {
  readonly countLines: () => Promise<number>
  readonly scan: () => TextScan | Promise<TextScan>
}

/** Read a text with one previewer. Returns `undefined` for other text, and after an exception, which is reported. */
export async function previewBy(
  previewer: TextPreviewer,
  subject: TextSubject & Caller,
  { countLines, scan, onFallback }: Reading,
  read: () => Promise<TextReader>,
): Promise<TextPreview | undefined> {
  try {
    const reader = await read()
    const finished = await reader.finish(subject)
    if (finished === undefined) return undefined
    const usualTokens = previewer.usualTokens ?? reader.usualTokens
    const write = checked(previewer, finished, scan, onFallback, subject.caller)
    const lines = reader.lines ?? (await countLines())
    return { lines, kind: previewer.name, usualTokens, write }
  } catch (error) {
    // Previewers may be third-party code. Exceptions of previewers must not fail the whole operation.
    onFallback(fallbackOf(previewer.name, error))
    return undefined
  }
}

/** Wrap a function so that a preview by lines replaces a failed, missing, or too large preview. */
function checked(
  previewer: TextPreviewer,
  write: WritePreview,
  scan: () => TextScan | Promise<TextScan>,
  onFallback: OnFallback,
  caller: unknown,
): TextPreview['write'] {
  return async (given) => {
    if (!(given.budgetTokens > 0)) return ''
    const options = { ...given, caller, countTokens: remembered(given.countTokens) }
    try {
      await yieldWhenDue(caller)
      const written: unknown = await write(options)
      if (typeof written === 'string') {
        const text = written.toWellFormed()
        if (text === '' || options.countTokens(text) <= options.budgetTokens) return text
        onFallback({ previewer: previewer.name, reason: 'over-budget' })
      } else if (written !== undefined)
        throw new TypeError(`The previewer "${previewer.name}" must write a string, got ${typeof written}.`)
    } catch (error) {
      onFallback(fallbackOf(previewer.name, error))
    }
    return (await writeTextPreview(await scan(), options)).toWellFormed()
  }
}

/** Cache token counts. The counter may be a slow tokenizer, and each preview is counted twice. */
function remembered(countTokens: CountTokens): CountTokens {
  const counts = new Map<string, number>()
  return (text) => {
    const known = counts.get(text)
    if (known !== undefined) return known
    const tokens = countTokens(text)
    counts.set(text, tokens)
    return tokens
  }
}
