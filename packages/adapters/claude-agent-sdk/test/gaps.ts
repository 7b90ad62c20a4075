const TEXT_ONLY = 'A tool of an MCP server writes values as JSON text, and text is stored byte for byte.'
const PICTURES = 'Claude Code decodes every image and shows an error for one that is none, as those of the suite are.'
const FILES = 'Claude Code writes documents and sound of MCP tools into files, and shows the model their paths.'
const NO_TYPE = 'Claude Code makes plain text of a resource, which begins with its URI.'
const NO_URL = 'Results of MCP tools have no images by URL.'
const CUT = 'Claude Code cuts the middle out of errors with more than 10,000 characters, with Spillway or without.'
const ONE_MESSAGE = 'The message that the program gets of a result is that which the model gets.'
const NO_ID = 'Claude Code does not run a call that has no id.'
const NO_PROVIDER = 'Claude Code has no tools that the provider runs.'

/** Reasons why Claude Code cannot support a case, by the case's id. */
export const GAPS: Readonly<Record<string, string>> = {
  'results/large-json-lines': TEXT_ONLY,
  'results/large-image': PICTURES,
  'results/image-beside-large-text': PICTURES,
  'results/text-beside-large-image': PICTURES,
  'retrieval/image': PICTURES,
  'outages/second-block': PICTURES,
  'results/large-document': FILES,
  'results/large-audio': FILES,
  'retrieval/document': FILES,
  'results/declared-types': NO_TYPE,
  'results/image-by-url': NO_URL,
  'errors/huge-thrown': CUT,
  'errors/huge-thrown-string': CUT,
  'errors/huge-thrown-object': CUT,
  'errors/huge-returned': CUT,
  'outputs/text': ONE_MESSAGE,
  'outputs/json': ONE_MESSAGE,
  'outputs/parts': ONE_MESSAGE,
  'outputs/whole': ONE_MESSAGE,
  'calls/hostile-id-empty': NO_ID,
  'limits/turn': 'A hook is not told the other calls of its message.',
  'provider/results': NO_PROVIDER,
  'provider/beside-large-results': NO_PROVIDER,
}
