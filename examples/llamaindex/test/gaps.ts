/** Cases that are impossible with LlamaIndex, with the reason. */
type Gaps = Readonly<Record<string, string>>

const ESCAPED = 'LlamaIndex writes a text as JSON without quotes, and the case compares with the text.'
const NO_MEDIA = 'A result of a tool is text.'
const NO_APPROVAL = 'LlamaIndex asks for no approval.'
const NO_PROVIDER = 'LlamaIndex passes on no results of tools that the provider runs.'
const NO_SIGNAL = 'LlamaIndex has no abort signal.'
const NO_REFERENCES = 'These tools are not wrapped for references in their arguments.'
const NO_FORM = 'LlamaIndex shows the model [object Object] for an object that is thrown.'

const EVERYWHERE: Gaps = {
  'limits/turn': 'A tool is not told the other calls of its message.',
  'results/large-image': NO_MEDIA,
  'results/large-document': NO_MEDIA,
  'results/large-audio': NO_MEDIA,
  'results/image-beside-large-text': NO_MEDIA,
  'results/text-beside-large-image': NO_MEDIA,
  'results/image-by-url': NO_MEDIA,
  'retrieval/image': NO_MEDIA,
  'retrieval/document': NO_MEDIA,
  'small-results/at-the-limit': 'LlamaIndex indents JSON, and core counts its compact form.',
  'errors/huge-thrown-object': NO_FORM,
  'calls/as-the-model-made-them': 'LlamaIndex tells a tool no id of its call.',
  'arguments/invalid': 'LlamaIndex runs a tool with whatever arguments the model wrote.',
  'approval/approved': NO_APPROVAL,
  'approval/denied': NO_APPROVAL,
  'provider/results': NO_PROVIDER,
  'provider/beside-large-results': NO_PROVIDER,
  'abort/storing': NO_SIGNAL,
  'abort/retrieving': NO_SIGNAL,
  'references/resolved': NO_REFERENCES,
  'references/refused': NO_REFERENCES,
  'references/schema': NO_REFERENCES,
  'references/not-opted-in': NO_REFERENCES,
  'references/allowed': NO_REFERENCES,
  'references/approval': NO_REFERENCES,
}

/** Gaps of `OffloadAgent`. */
export const AGENT_GAPS: Gaps = {
  ...EVERYWHERE,
  'results/rest-of-the-prompt': ESCAPED,
  'mode/switched-off': ESCAPED,
  'outages/passing': ESCAPED,
  'retrieval/by-another-tool': ESCAPED,
  'results/large-odd-json': 'LlamaIndex takes a value with undefined or null in it for an error.',
  'errors/what-the-offloader-is-told': NO_FORM,
}

/** Gaps of `offloadTools` in a loop of `llm.exec`. */
export const TOOLS_GAPS: Gaps = {
  ...EVERYWHERE,
  'results/what-the-offloader-is-told': 'LlamaIndex tells a tool no id of its call.',
  'outputs/text': 'What a tool returns is all that a program gets.',
  'outputs/json': 'What a tool returns is all that a program gets.',
  'outputs/parts': 'What a tool returns is all that a program gets.',
  'outputs/whole': 'What a tool returns is all that a program gets.',
  'outages/second-block': NO_MEDIA,
}
