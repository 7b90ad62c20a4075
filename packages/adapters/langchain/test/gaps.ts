/** Reasons why versions of LangChain cannot support a case, by the case's id. */
import { isBeforeVersion15, isVersion10 } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const ONE_MESSAGE = 'LangChain has one message for the model and the program; callbacks see what the tool returned.'
const JSON_AS_TEXT = 'LangChain turns values into JSON text before any hook, and text is stored byte for byte.'
const NO_ID = 'LangChain makes no tool call of streamed chunks without an id.'
const ERRORS_ONLY = 'A ToolNode shows the model the message of an error, and of anything else that is thrown nothing.'
const NO_FORM = 'LangChain shows the model [object Object] for an object that is thrown.'
const GOES_ON = 'LangChain itself fails where a tool throws null or undefined; with the middleware the run goes on.'
const WRAPPED = 'LangChain 1.3 wraps what passes through a middleware in an error of its own, under its name.'
const ENDS = 'LangChain 1.0 ends the run where a tool is denied.'
const NEEDS_SAVER = 'LangChain 1.0 needs a saver with a thread id, and that in memory cannot take the id __proto__.'
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
  'limits/turn': 'A tool in a ToolNode is not told the other calls of its message.',
}
