const TEXT_ONLY = 'A tool of an MCP server writes values as JSON text, and text is stored byte for byte.'
const PICTURES = 'Claude Code decodes each image. The images of the suite are invalid, so it shows an error.'
const FILES = 'Claude Code writes documents and sound of MCP tools to files, and shows their paths to the model.'
const NO_TYPE = 'Claude Code changes a resource to plain text that starts with its URI.'
const NO_URL = 'Results of MCP tools cannot have images by URL.'
const CUT = 'Claude Code shortens errors of more than 10,000 characters, even without Spillway.'
const ONE_MESSAGE = 'Claude Code gives the same message to the model and the program.'
const NO_ID = 'Claude Code does not run a call without an id.'
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
  'limits/turn': 'A hook does not know the other calls of the same message.',
  'provider/results': NO_PROVIDER,
  'provider/beside-large-results': NO_PROVIDER,
}
