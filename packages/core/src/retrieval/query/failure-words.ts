/** Stems of words by which a question asks for a failure. */
const FAILURE_STEMS: ReadonlySet<string> = new Set(
  'fail err error crash break brok broken exception except fatal abort panic wrong bug problem caus reason fault assert'.split(
    ' ',
  ),
)

/** What runs and may fail: it says little about where a failure is written down. */
const SUBJECT_STEMS: ReadonlySet<string> = new Set(
  'build built ci job run pipelin task step command process program script workflow stag test'.split(' '),
)

/** Words by which logs tell of failures, those that weigh alike together. */
export interface FailureClass {
  readonly weight: number
  /** In lower case; spaces stand for themselves. */
  readonly phrases: readonly string[]
}

/** What a question about a failure also looks for. */
export const FAILURE_CLASSES: readonly FailureClass[] = [
  {
    weight: 1,
    phrases: [
      'fatal',
      'exception',
      'panic',
      'panicked',
      'traceback',
      'abort',
      'assertion',
      'crash',
      'segmentation fault',
      'caused by',
      'unhandled',
      'uncaught',
      'core dumped',
    ],
  },
  { weight: 0.9, phrases: ['error', 'err!'] },
  { weight: 0.9, phrases: ['fail'] },
  {
    weight: 0.6,
    phrases: [
      'cannot',
      'could not',
      "couldn't",
      "can't",
      'unable',
      'not found',
      'no such',
      'undefined',
      'unresolved',
      'denied',
      'refused',
      'missing',
      'invalid',
      'unexpected',
      'mismatch',
      'unsupported',
      'incompatible',
      'not exist',
      "doesn't exist",
      'conflict',
      'timed out',
      'timeout',
      'killed',
      'expected',
      'exit code',
      'exited with',
    ],
  },
]

/** Tell whether a stem is that of a word for failures. */
export function isFailureStem(stem: string): boolean {
  return FAILURE_STEMS.has(stem)
}

/** Tell whether a stem is that of a word for what may fail. */
export function isSubjectStem(stem: string): boolean {
  return SUBJECT_STEMS.has(stem)
}
