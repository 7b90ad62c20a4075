/** Reasons why VoltAgent cannot support a case, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const NO_FORM = 'VoltAgent makes [object Object] of an object that a tool throws, before any hook.'

const EVERYWHERE: Gaps = {
  'errors/huge-thrown-object': NO_FORM,
  // This case throws such an object, too.
  'errors/what-the-offloader-is-told': NO_FORM,
  'references/schema': 'The AI SDK checks the arguments as the model wrote them, before a tool is called.',
  'limits/turn': 'A tool is not told the other calls of its message.',
}

/** Gaps of `generateText`, with a memory. */
export const GENERATE_GAPS: Gaps = {
  ...EVERYWHERE,
  'calls/hostile-id-prototype':
    'generateText of the AI SDK 6 runs no tool whose call has the id `__proto__` or its like.',
  'sessions/awkward-names': "VoltAgent's memory cannot hold a conversation with the id `__proto__`.",
  'replay/continued':
    'VoltAgent shows texts of its memory as JSON, `{ type, value }`; what was offloaded stays as it was.',
}

/** Gaps of `streamText`, with UI messages that a chat has saved. */
export const STREAM_GAPS: Gaps = {
  ...EVERYWHERE,
  'replay/continued': 'VoltAgent shows saved outputs without the `toModelOutput` of their tools.',
}
