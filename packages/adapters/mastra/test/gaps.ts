/** Reasons why Mastra cannot support a case, for each way to use the adapter, by the case's id. */
const GAPS = {
  'small-results/nothing': 'If a tool returns nothing, Mastra expects a later answer, and ends the run',
  'limits/turn': 'Hooks of Mastra get the results at different times, and must choose the same replacement',
  'calls/hostile-id-empty': 'Mastra ignores a call with an empty id',
} as const

const WITHOUT_MEMORY = {
  ...GAPS,
  'calls/equal-ids-in-one-run': 'Mastra keeps one result for each call id, so the second replaces the first',
} as const

export const GENERATE_GAPS: Readonly<Record<string, string>> = {
  ...WITHOUT_MEMORY,
  'calls/hostile-id-prototype': '`generate` of Mastra fails for the call id `__proto__`',
}

export const STREAM_GAPS: Readonly<Record<string, string>> = GAPS

const REPLACED = 'An output processor replaces results before the program gets them'

export const BOTH_GAPS: Readonly<Record<string, string>> = {
  ...WITHOUT_MEMORY,
  'outputs/text': REPLACED,
  'outputs/json': REPLACED,
  'outputs/parts': REPLACED,
  'outputs/whole': REPLACED,
  'results/image-by-url': 'MCP results cannot have images by URL, and Mastra shows links as text',
}
