import { textPreviewer } from './log/log-previewer.ts'
import type { MediaPreviewer, MediaSubject, Previewer, TextPreviewer, TextSubject } from './previewer.ts'
import { fallbackOf, type PreviewFallback } from './preview-fallback.ts'

/** Largest start and end of a text that previewers get to recognize it, in UTF-16 units. */
export const SUBJECT_START = 16_384
export const SUBJECT_END = 4_096

/** Called with the reason why a previewer could not be used. */
export type OnFallback = (fallback: PreviewFallback) => void

/** Highest confidence of a built-in previewer for any content, and for text without a declared type or a path. */
const MOST_SURE = 0.97
const HIGHEST = Symbol('highest confidence')

/** Mark a built-in previewer with its highest confidence. Spread copies, which may recognize more, have no mark. */
export function atMost<Kind extends Previewer>(highest: number, previewer: Kind): Kind {
  return Object.defineProperty(previewer, HIGHEST, { value: highest })
}

/** Return a number that the confidence of a previewer cannot exceed. */
export function highestSureness(previewer: object, { contentType, intent }: Partial<TextSubject>): number {
  const { [HIGHEST]: highest } = previewer as { readonly [HIGHEST]?: number }
  if (highest === undefined) return Infinity
  return contentType === 'text/plain' && intent?.paths.length === 0 ? highest : MOST_SURE
}

/** Yield the previewers that recognize a text, the most confident first, and then the previewer for any text. */
export function* textPreviewersFor(
  subject: TextSubject,
  previewers: readonly Previewer[],
  onFallback: OnFallback,
): Generator<TextPreviewer, undefined> {
  const texts = previewers.filter((previewer) => previewer.previews === 'text')
  yield* surest(subject, texts, onFallback)
  yield textPreviewer
}

/** Return the previewers that recognize media, the most confident first. */
export function mediaPreviewersFor(
  subject: MediaSubject,
  previewers: readonly Previewer[],
  onFallback: OnFallback,
): MediaPreviewer[] {
  const media = previewers.filter((previewer) => previewer.previews === 'media')
  return [...surest(subject, media, onFallback)]
}

/** Previewers that cannot be more confident than the best one are asked only if the best one cannot show the content. */
function* surest<Subject extends object, Kind extends Recognizer<Subject>>(
  subject: Subject,
  previewers: readonly Kind[],
  onFallback: OnFallback,
): Generator<Kind, undefined> {
  const open = previewers.map((each) => ({ previewer: each, sureness: highestSureness(each, subject), isAsked: false }))
  while (open.length > 0) {
    const best = open.reduce((one, other) => (other.sureness > one.sureness ? other : one))
    if (best.sureness === 0) return
    if (best.isAsked) yield best.previewer
    best.sureness = best.isAsked ? 0 : sureness(best.previewer, subject, onFallback)
    best.isAsked = true
  }
}

interface Recognizer<Subject> {
  readonly name: string
  readonly recognize: (subject: Subject) => number
}

function sureness<Subject>(previewer: Recognizer<Subject>, subject: Subject, onFallback: OnFallback): number {
  try {
    const sure: unknown = previewer.recognize(subject)
    if (typeof sure !== 'number') throw new TypeError(`recognize() must return a number, got ${typeof sure}.`)
    return sure > 0 ? sure : 0
  } catch (error) {
    // Previewers may be third-party code. Exceptions of previewers must not fail the whole operation.
    onFallback(fallbackOf(previewer.name, error))
    return 0
  }
}

/** Put the user's own previewers first. An own previewer replaces another previewer of the same name. */
export function withPreviewers(own: readonly Previewer[], others: readonly Previewer[]): Previewer[] {
  const names = new Set(own.map(({ name }) => name))
  return [...own, ...others.filter(({ name }) => !names.has(name))]
}
