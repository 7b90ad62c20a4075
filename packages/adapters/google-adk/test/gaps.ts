/** Reasons why ADK cannot support a case, by the case's id. */
const ONE_EVENT = 'ADK has one event for the model and the program; plugins in front of the offloader see the original.'
const NO_FORM = 'ADK makes [object Object] of an object that a function throws, before any callback.'
const LATEST = 'ADK shows the latest result of an id for each call that has it.'

export const GAPS: Readonly<Record<string, string>> = {
  'outputs/text': ONE_EVENT,
  'outputs/json': ONE_EVENT,
  'outputs/parts': ONE_EVENT,
  'errors/huge-thrown-object': NO_FORM,
  'errors/what-the-offloader-is-told': NO_FORM,
  'calls/equal-ids-in-one-run': LATEST,
}
