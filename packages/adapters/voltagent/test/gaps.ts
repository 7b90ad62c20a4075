/** Reasons why VoltAgent cannot support a case, by the case's id. */
type Gaps = Readonly<Record<string, string>>

const NO_FORM = 'VoltAgent changes a thrown object to [object Object] before any hook.'

const EVERYWHERE: Gaps = {
  'errors/huge-thrown-object': NO_FORM,
  // This case throws such an object, too.
  'errors/what-the-offloader-is-told': NO_FORM,
  'references/schema': 'The AI SDK checks the arguments as the model wrote them, before it calls a tool.',
  'limits/turn': 'A tool does not know the other calls of the same message.',
}

/** Gaps of `generateText`, with a memory. */
export const GENERATE_GAPS: Gaps = {
  ...EVERYWHERE,
  'calls/hostile-id-prototype': 'In the AI SDK 6, `generateText` runs no tool for call ids such as `__proto__`.',
  'sessions/awkward-names': "VoltAgent's memory cannot save a conversation with the id `__proto__`.",
  'replay/continued':
    'VoltAgent shows text from its memory as JSON, `{ type, value }`. Offloaded results do not change.',
}

/** Gaps of `streamText`, with UI messages that a chat has saved. */
export const STREAM_GAPS: Gaps = {
  ...EVERYWHERE,
  'replay/continued': 'VoltAgent shows saved outputs without the `toModelOutput` of their tools.',
}
