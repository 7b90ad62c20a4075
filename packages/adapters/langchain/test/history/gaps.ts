/** Reasons why a case is impossible if messages of the state are replaced, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const ONE_MESSAGE = 'LangChain has one message for the model and the program, and it is the one that is replaced.'

/** Gaps of agents that are invoked. */
export const STATE_GAPS: Gaps = { 'history/outputs': ONE_MESSAGE }

/** Gaps of agents that stream. */
export const STATE_STREAM_GAPS: Gaps = {}
