/** Reasons why versions of deepagents cannot support a case, by the case's id. */
import { isNewest } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const ONE_MESSAGE = 'LangChain has one message for the model and the program; callbacks see what the tool returned.'
const JSON_AS_TEXT = 'LangChain has turned values into JSON text before any hook, and text is stored byte for byte.'
const NO_ID = 'deepagents drops tool calls without an id.'
const MOVED = 'deepagents moves results that stay to files, over 80,000 characters, unless its own limit is turned off.'
const NO_ORIGINAL = 'Before 1.14 deepagents moves large results in any case, so there is no whole one to compare with.'

const gaps = (reason: string, ...ids: readonly string[]): Gaps => Object.fromEntries(ids.map((id) => [id, reason]))

/** Gaps of agents that stream. */
export const STREAM_GAPS: Gaps = {
  ...gaps(NO_ID, 'calls/hostile-id-empty'),
  ...(isNewest ? gaps(JSON_AS_TEXT, 'results/large-json-lines') : {}),
}

/** Gaps of agents that are invoked. */
export const INVOKE_GAPS: Gaps = {
  ...STREAM_GAPS,
  ...gaps(ONE_MESSAGE, 'outputs/text', 'outputs/json', 'outputs/parts'),
}

/** Gaps of agents in which deepagents still moves large results to files. */
export const EVICTION_GAPS: Gaps = {
  ...gaps(MOVED, 'outages/store-of-an-error'),
  ...(isNewest
    ? gaps(MOVED, 'outages/second-block', 'retrieval/image', 'retrieval/document')
    : gaps(
        NO_ORIGINAL,
        'errors/huge-thrown',
        'errors/huge-thrown-string',
        'errors/huge-thrown-object',
        'errors/huge-returned',
        'tokens/log-and-two-retrievals',
      )),
}
