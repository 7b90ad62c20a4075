/** Reasons why the protocol cannot support a case, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const ONE_RESULT = 'A client gives the same result to the model and the program.'
const NO_ID = 'The protocol does not say which call of the model a request belongs to.'
const NO_FORM = 'The SDK changes a thrown object to [object Object].'
const NO_TURNS = 'The protocol does not report model calls.'

const EVERYWHERE: Gaps = {
  'outputs/text': ONE_RESULT,
  'outputs/json': ONE_RESULT,
  'outputs/parts': ONE_RESULT,
  'results/what-the-offloader-is-told': NO_ID,
  'errors/huge-thrown-object': NO_FORM,
  'errors/what-the-offloader-is-told': NO_FORM,
  'limits/turn': 'The protocol does not say which calls belong to the same message.',
}

/** Gaps of clients. Their program runs the loop, and ends the turns itself. */
export const CLIENT_GAPS: Gaps = EVERYWHERE

/** Gaps of servers and proxies, which cannot know when a turn ends. */
export const SERVER_GAPS: Gaps = {
  ...EVERYWHERE,
  'outages/end-turn': NO_TURNS,
  'turns/one-for-each-model-call': NO_TURNS,
  'turns/across-runs': NO_TURNS,
  'turns/evicted': NO_TURNS,
}
