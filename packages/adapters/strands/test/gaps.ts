/** Reasons why Strands cannot support a case, by the case's id. */
import { isVersion10 } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const NO_SOUND = 'In Strands, tool results cannot have sound.'
const NO_FORM = 'Strands changes a thrown object to an error with the text [object Object] before any hook.'
const NO_ID = 'Strands ignores streamed tool calls without an id.'
const ONE_MESSAGE = 'Strands gives the same message to the model and the program. Hooks get the original.'

const FIXED_ARGUMENTS = 'In Strands 1.0, a hook cannot change arguments, so calls with references are refused.'

/** Gaps of agents that stream, whose program reads results in a hook. */
export const STREAM_GAPS: Gaps = {
  'results/large-audio': NO_SOUND,
  'errors/huge-thrown-object': NO_FORM,
  'errors/what-the-offloader-is-told': NO_FORM,
  'calls/hostile-id-empty': NO_ID,
  ...(isVersion10 && {
    'references/resolved': FIXED_ARGUMENTS,
    'references/schema': FIXED_ARGUMENTS,
    'references/approval': FIXED_ARGUMENTS,
  }),
}

/** Gaps of agents that are invoked, whose program reads messages. */
export const INVOKE_GAPS: Gaps = {
  ...STREAM_GAPS,
  'outputs/text': ONE_MESSAGE,
  'outputs/json': ONE_MESSAGE,
  'outputs/parts': ONE_MESSAGE,
  'outputs/whole': ONE_MESSAGE,
}
