/** Reasons why versions of LangChain cannot support a case, by the case's id. */
import { isBeforeVersion15, isVersion10 } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const ONE_MESSAGE = 'LangChain gives the same message to the model and the program. Callbacks get the original.'
const JSON_AS_TEXT = 'LangChain changes values to JSON text before any hook, and text is stored byte for byte.'
const NO_ID = 'LangChain ignores streamed tool calls without an id.'
const ERRORS_ONLY = 'If a tool throws something other than an error, a ToolNode shows nothing of it to the model.'
const NO_FORM = 'For a thrown object, LangChain shows [object Object] to the model.'
const GOES_ON = 'LangChain fails if a tool throws null or undefined. With the middleware, the run continues.'
const WRAPPED = "LangChain 1.3 puts a value that a middleware throws into an error with the middleware's name."
const ENDS = 'LangChain 1.0 ends the run if a tool is denied.'
const NEEDS_SAVER = 'LangChain 1.0 needs a saver, and the saver in memory does not support the id __proto__.'
const NO_GENERATORS = 'Tools of LangChain 1.0 cannot yield.'

const EVERYWHERE: Gaps = {
  ...(isBeforeVersion15 ? {} : { 'results/large-json-lines': JSON_AS_TEXT }),
  ...(isVersion10 ? { 'streaming/preliminary-results': NO_GENERATORS } : {}),
}
const OUTPUTS: Gaps = { 'outputs/text': ONE_MESSAGE, 'outputs/json': ONE_MESSAGE, 'outputs/parts': ONE_MESSAGE }
const AGENTS: Gaps = isVersion10 ? { 'approval/denied': ENDS } : {}

/** Gaps of agents that are invoked, with errors of tools handled by LangChain itself. */
export const INVOKE_GAPS: Gaps = {
  ...EVERYWHERE,
  ...OUTPUTS,
  ...AGENTS,
  'errors/huge-thrown-object': NO_FORM,
  'errors/thrown-nothing': GOES_ON,
  ...(isVersion10 ? { 'sessions/awkward-names': NEEDS_SAVER } : {}),
}

/** Gaps of agents that stream, with errors handled outside of the offloader's middleware. */
export const STREAM_GAPS: Gaps = {
  ...EVERYWHERE,
  ...AGENTS,
  'calls/hostile-id-empty': NO_ID,
  ...(isBeforeVersion15 && !isVersion10
    ? { 'errors/thrown-string': WRAPPED, 'errors/thrown-object': WRAPPED, 'errors/thrown-nothing': WRAPPED }
    : {}),
}

/** Gaps of a ToolNode. */
export const TOOL_NODE_GAPS: Gaps = {
  ...EVERYWHERE,
  ...OUTPUTS,
  'errors/huge-thrown-string': ERRORS_ONLY,
  'errors/huge-thrown-object': ERRORS_ONLY,
  'limits/turn': 'A tool in a ToolNode does not know the other calls of the same message.',
}
