/** Reasons why Genkit cannot support a case, by the case's id. */
import { hasAgents } from './version.ts'

type Gaps = Readonly<Record<string, string>>

const ONE_PART = 'Genkit gives the same part to the model and the program. Later middleware gets the original.'
const NO_DATES = 'Genkit changes a date to an empty object before any hook.'
const NO_SIGNAL = "An agent of Genkit does not use the caller's signal, so its run continues."

const NO_DEFINITIONS = 'Genkit cannot define models during such a run, but the harness defines one for each agent.'

/** Gaps of every way to use Genkit. */
export const GAPS: Gaps = {
  'results/large-odd-json': NO_DATES,
  'outputs/text': ONE_PART,
  'outputs/json': ONE_PART,
  'outputs/parts': ONE_PART,
}

/** Gaps of streams. */
export const STREAM_GAPS: Gaps = { ...GAPS, 'sub-agents/lent-and-given-back': NO_DEFINITIONS }

/** Gaps of sessions, which are the same as the gaps of an agent. */
export const SESSION_GAPS: Gaps = {
  ...GAPS,
  ...(hasAgents
    ? {
        'abort/storing': NO_SIGNAL,
        'abort/retrieving': NO_SIGNAL,
        'history/summary-aborted': NO_SIGNAL,
        'sub-agents/lent-and-given-back': NO_DEFINITIONS,
      }
    : {}),
}
