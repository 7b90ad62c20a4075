/** Reasons why the SDK or its API cannot support a case, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const JSON_AS_TEXT = 'A tool writes values as JSON text itself, and text is stored byte for byte.'
const ONE_MESSAGE = 'The tool runner gives the same message to the model and the program.'
const NO_FORM = 'For a thrown object, the tool runner shows [object Object] to the model.'
const PLAIN_ONLY = 'The only text type that the API accepts in documents is plain text.'
const NO_SOUND = 'The API does not accept sound in tool results.'

const EVERYWHERE: Gaps = {
  'results/large-json-lines': JSON_AS_TEXT,
  'results/large-audio': NO_SOUND,
  'results/declared-types': PLAIN_ONLY,
  'errors/huge-thrown-object': NO_FORM,
}

/** Gaps of tool runners. */
export const RUNNER_GAPS: Gaps = {
  ...EVERYWHERE,
  'outputs/text': ONE_MESSAGE,
  'outputs/json': ONE_MESSAGE,
  'outputs/parts': ONE_MESSAGE,
  'outputs/whole': ONE_MESSAGE,
  'history/outputs': ONE_MESSAGE,
  'limits/turn': 'A tool of a runner does not know the other calls of the same message.',
}

/** Gaps of loops by hand, in which the program runs the tools itself and sees their results. */
export const LOOP_GAPS: Gaps = EVERYWHERE
