/** Reasons why ADK cannot support a case, by the case's id. */
const ONE_EVENT = 'ADK gives the same event to the model and the program. Earlier plugins get the original.'
const NO_FORM = 'ADK changes a thrown object to [object Object] before any callback.'
const LATEST = 'For all calls with the same id, ADK shows the latest result.'

export const GAPS: Readonly<Record<string, string>> = {
  'outputs/text': ONE_EVENT,
  'outputs/json': ONE_EVENT,
  'outputs/parts': ONE_EVENT,
  'errors/huge-thrown-object': NO_FORM,
  'errors/what-the-offloader-is-told': NO_FORM,
  'calls/equal-ids-in-one-run': LATEST,
}
