/**
 * Tokens beyond which a preview costs an agent more than it saves, by what the answer benchmark says of 13 sizes from 100 to
 * 2,000 (decision 0045). Kinds that are missing here have too few questions there.
 */
export const USUAL_TOKENS = {
  /** Tables, JSON, and source code are asked by a key or a name: the preview has to say which there are. */
  structured: 300,
  /** Logs and all text without a kind: the reason of a failure has to be in the preview. */
  log: 800,
} as const
