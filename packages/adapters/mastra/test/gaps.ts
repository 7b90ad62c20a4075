/** Reasons why Mastra cannot support a case, for each way to use the adapter, by the case's id. */
const GAPS = {
  'small-results/nothing': 'Mastra takes a tool that returns nothing for one that is still to answer, and ends the run',
  'limits/turn': 'Hooks of Mastra get results at different times, some alone, and must agree on one replacement',
  'calls/hostile-id-empty': 'Mastra drops a call with an empty id',
} as const

const WITHOUT_MEMORY = {
  ...GAPS,
  'calls/equal-ids-in-one-run': 'Mastra keeps one result for each call id: the second takes the place of the first',
} as const

export const GENERATE_GAPS: Readonly<Record<string, string>> = {
  ...WITHOUT_MEMORY,
  'calls/hostile-id-prototype': 'generate of Mastra fails on the call id `__proto__`',
}

export const STREAM_GAPS: Readonly<Record<string, string>> = GAPS

const REPLACED = 'as an output processor it replaces results before the program gets them'

export const BOTH_GAPS: Readonly<Record<string, string>> = {
  ...WITHOUT_MEMORY,
  'outputs/text': REPLACED,
  'outputs/json': REPLACED,
  'outputs/parts': REPLACED,
  'outputs/whole': REPLACED,
  'results/image-by-url': 'results of the Model Context Protocol have no images by URL, and Mastra shows links as text',
}
