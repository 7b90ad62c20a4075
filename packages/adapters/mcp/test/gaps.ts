/** Reasons why the protocol cannot support a case, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const ONE_RESULT = 'A client has one result for the model and the program.'
const NO_ID = 'The protocol does not tell which call of the model a request is.'
const NO_FORM = 'The SDK makes [object Object] of an object that is thrown.'
const NO_TURNS = 'The protocol does not tell of model calls.'

const EVERYWHERE: Gaps = {
  'outputs/text': ONE_RESULT,
  'outputs/json': ONE_RESULT,
  'outputs/parts': ONE_RESULT,
  'results/what-the-offloader-is-told': NO_ID,
  'errors/huge-thrown-object': NO_FORM,
  'errors/what-the-offloader-is-told': NO_FORM,
  'limits/turn': 'The protocol does not tell which calls are of one message.',
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
