/**
 * Largest useful size of a preview by kind, in tokens. Measured with the answer benchmark for 13 sizes from 100 to
 * 2,000 (decision 0045). For other kinds, the benchmark has too few questions.
 */
export const USUAL_TOKENS = {
  /** In tables, JSON, source code, and text without failures, users look for a key or a name. */
  structured: 300,
  /** The preview must contain the reason for a failure. */
  log: 800,
} as const
